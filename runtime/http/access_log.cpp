// The middleware that writes a line for each request.

#include <heddle/base/log.hpp>
#include <heddle/fiber/clock.hpp>
#include <heddle/http/escape.hpp>
#include <heddle/http/middleware.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <new>
#include <string>

namespace heddle::http {
namespace {

constexpr std::size_t max_method_bytes = 32;
constexpr std::size_t max_text_bytes = 256; // of a target, and of a field

// Whether `peer`, "10.0.0.1:40312" or "[::1]:40312", is at that address.
bool is_of(std::string_view peer, std::string_view address) noexcept
{
    if (peer.starts_with('['))
        peer.remove_prefix(1);
    if (!peer.starts_with(address))
        return false;
    return peer.size() == address.size() || peer[address.size()] == ':' || peer[address.size()] == ']';
}

// What is known of a request before its outcome: a stream has it copied, as it outlives the request's
// handling.
struct access_record
{
    access_log_options options;
    fiber::time_point start;
    std::string method;
    std::string target;
    std::string route;
    std::string peer;
    std::string client; // empty: the peer's
    std::string id;
    std::string referer;
    std::string user_agent;

    access_record(const access_log_options& options, fiber::time_point start, const request& req)
        : options(options),
          start(start),
          method(printable(req.method_text(), max_method_bytes)),
          target(printable(req.target(), max_text_bytes)),
          route(req.route()),
          peer(req.peer()),
          id(req.request_id())
    {
        if (!is_of(peer, req.client()))
            client = req.client();
        if (options.agent) {
            referer = printable(req.header(field::referer), max_text_bytes);
            user_agent = printable(req.header(field::user_agent), max_text_bytes);
        }
    }

    void write(const std::string& outcome, std::uint64_t bytes) const
    {
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(fiber::now() - start).count();
        if (options.as == access_log_options::shape::fields)
            write_fields(outcome, std::to_string(bytes), std::to_string(took));
        else
            write_line(outcome, std::to_string(bytes), std::to_string(took));
    }

private:
    void write_line(const std::string& outcome, const std::string& bytes, const std::string& took) const
    {
        std::string line = method + " " + target + " " + outcome + " " + bytes + "B " + took + "us";
        for (const auto& [name, value] : {std::pair{" route=", std::string_view(route)},
                                          {" peer=", peer},
                                          {" client=", client},
                                          {" id=", id}}) {
            if (!value.empty())
                line.append(name).append(value);
        }
        if (options.agent)
            log::info(line, {{"referer", referer}, {"user_agent", user_agent}});
        else
            log::info(line);
    }

    void write_fields(const std::string& outcome, const std::string& bytes, const std::string& took) const
    {
        const std::string& from = client.empty() ? peer : client;
        if (options.agent)
            log::info("request", {{"method", method},
                                  {"target", target},
                                  {"status", outcome},
                                  {"bytes", bytes},
                                  {"us", took},
                                  {"route", route},
                                  {"peer", peer},
                                  {"client", from},
                                  {"id", id},
                                  {"referer", referer},
                                  {"user_agent", user_agent}});
        else
            log::info("request", {{"method", method},
                                  {"target", target},
                                  {"status", outcome},
                                  {"bytes", bytes},
                                  {"us", took},
                                  {"route", route},
                                  {"peer", peer},
                                  {"client", from},
                                  {"id", id}});
    }
};

// Passes a stream on and counts it. Writes the line when the stream ends, in whatever way.
class counting_sink final : public sink
{
public:
    counting_sink(const access_record& record, status status, sink& out)
        : record_(record), status_(status), out_(out)
    {
    }

    ~counting_sink() override
    {
        const bool cut = std::uncaught_exceptions() > unwinding_before_;
        try {
            record_.write(!cut          ? std::to_string(static_cast<unsigned>(status_))
                          : !has_begun_ ? "refused" // answered otherwise, as nothing had been sent
                                        : "cut",
                          bytes_);
        } catch (const std::bad_alloc&) {
            // The line is lost, and not the server.
        }
    }

    void write(std::string_view bytes) override
    {
        has_begun_ = true;
        out_.write(bytes);
        bytes_ += bytes.size();
    }

private:
    const access_record& record_;
    http::status status_;
    sink& out_;
    std::uint64_t bytes_ = 0;
    bool has_begun_ = false;
    int unwinding_before_ = std::uncaught_exceptions();
};

} // namespace

middleware access_log(const access_log_options& options)
{
    return [options](const request& req, const handler& next) {
        const fiber::time_point start = fiber::now();
        response answer = next(req);
        if (!log::enabled(log::level::info))
            return answer;

        access_record record(options, start, req);
        if (answer.is_streaming() && req.method() != verb::head) {
            answer.set_producer([record = std::move(record), status = answer.status(),
                                 inner = answer.body_producer()](sink& out) {
                counting_sink counting(record, status, out);
                inner(counting);
            });
            return answer;
        }
        record.write(answer.is_abandoned() ? "abandoned"
                                           : std::to_string(static_cast<unsigned>(answer.status())),
                     req.method() == verb::head ? 0 : answer.body().size());
        return answer;
    };
}

} // namespace heddle::http
