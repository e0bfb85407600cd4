#include <heddle/http/client.hpp>

#include <heddle/base/error.hpp>

#include "http/client_call.hpp"
#include "http/token.hpp"

#include <algorithm>
#include <utility>

namespace heddle::http {

namespace {

constexpr std::size_t first_piece = 4 * 1024;
constexpr std::size_t most_at_once = 256 * 1024;

std::optional<http::origin> base_of(const client_options& options)
{
    if (options.origin.empty())
        return std::nullopt;
    return parse_origin(options.origin);
}

bool may_need_tls(const client_options& options)
{
    const auto base = base_of(options);
    return !base || base->is_secure || (options.max_redirects > 0 && options.redirects_to_other_origins);
}

bool is_ours(std::string_view name) noexcept
{
    for (const std::string_view one : {"host", "content-length", "transfer-encoding", "connection"}) {
        if (same_name(name, one))
            return true;
    }
    return false;
}

client_options checked_options(client_options options)
{
    std::string wrong;
    const auto need = [&](bool holds, const char* what) {
        if (!holds)
            wrong.append(wrong.empty() ? "client: " : ", ").append(what);
    };
    need(options.max_connections >= 1 && options.max_connections <= fiber::max_pool_size,
         "max_connections must be at least 1");
    need(options.waiting >= 0, "waiting must not be negative");
    need(options.connect_budget > fiber::duration::zero(), "connect_budget must be more than 0");
    need(options.answer_budget > fiber::duration::zero(), "answer_budget must be more than 0");
    need(options.read_stall > fiber::duration::zero(), "read_stall must be more than 0");
    need(options.write_stall > fiber::duration::zero(), "write_stall must be more than 0");
    need(options.queue_wait >= fiber::duration::zero(), "queue_wait must not be negative");
    need(options.max_idle >= fiber::duration::zero(), "max_idle must not be negative");
    need(options.max_origins >= 1, "max_origins must be at least 1");
    need(options.header_limit >= 256, "header_limit must be at least 256");
    need(options.field_limit >= 1, "field_limit must be at least 1");
    need(options.deadline_header.empty() ||
             (is_token(options.deadline_header) && !is_ours(options.deadline_header)),
         "deadline_header must be a field's name, and none that the client sets itself");
    need(options.retry_share >= 0 && options.retry_share <= 1, "retry_share must be between 0 and 1");
    need(options.least_retries_a_second >= 0 && options.least_retries_a_second <= 1000,
         "least_retries_a_second must be between 0 and 1000");
    if (!wrong.empty())
        throw config_error(wrong);
    if (!options.open && !options.tls && may_need_tls(options))
        options.tls = net::make_tls_context(net::tls_client_options{});
    return options;
}

// No upstream makes us hold much more than it has sent.
std::string read_whole(body_source& body, std::uint64_t most)
{
    std::string all;
    for (std::size_t used = 0;;) {
        if (used == all.size()) // room is made, and filled with zeros, once for many small chunks
            all.resize(used + std::clamp(used, first_piece, most_at_once));
        const std::size_t count = body.read_some({all.data() + used, all.size() - used});
        used += count;
        if (used > most)
            throw error(kind::upstream, "the answer has more than " + std::to_string(most) + " bytes");
        if (count == 0) {
            all.resize(used);
            return all;
        }
    }
}

} // namespace

client_parts::client_parts(client_options with)
    : options(checked_options(std::move(with))),
      base(base_of(options)),
      budget({.share = options.retry_share, .least_a_second = options.least_retries_a_second}),
      upstreams(options)
{
    if (base)
        upstreams.at(*base);
}

struct client::implementation
{
    client_parts parts;

    response ask(const request& req, const upload* body)
    {
        response whole;
        const consumer use = [&](const response& head, body_source& from) {
            whole = head;
            whole.set_body(read_whole(from, parts.options.max_body));
        };
        client_call(parts, req, body, use).run();
        return whole;
    }
};

client::client(client_options options) : implementation_(new implementation{client_parts(std::move(options))})
{
}

client::~client() = default;

response client::operator()(const request& req) const
{
    const auto kept = implementation_; // until this call is over, whatever becomes of the client
    return kept->ask(req, nullptr);
}

response client::operator()(const request& req, const upload& body) const
{
    const auto kept = implementation_;
    return kept->ask(req, &body);
}

void client::stream(const request& req, const consumer& use) const
{
    const auto kept = implementation_;
    client_call(kept->parts, req, nullptr, use).run();
}

void client::stream(const request& req, const upload& body, const consumer& use) const
{
    const auto kept = implementation_;
    client_call(kept->parts, req, &body, use).run();
}

const client_counters& client::counters() const noexcept
{
    return implementation_->parts.counters;
}

fiber::pool_statistics client::connections() const
{
    const auto& base = implementation_->parts.base;
    return base ? connections(*base) : fiber::pool_statistics{};
}

fiber::pool_statistics client::connections(const http::origin& to) const
{
    const auto upstream = implementation_->parts.upstreams.find(to);
    return upstream ? upstream->pool.statistics() : fiber::pool_statistics{};
}

} // namespace heddle::http
