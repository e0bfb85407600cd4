#include <heddle/http/rate_limit.hpp>

#include <heddle/base/error.hpp>
#include <heddle/fiber/clock.hpp>
#include <heddle/http/networks.hpp>
#include <heddle/http/reply.hpp>

#include "fiber/spin.hpp"
#include "http/siphash.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace heddle::http {

namespace {

// A token bucket for each client, kept as one number: when it will be full again. One that is full is as good
// as none. The table is a hash table of small sets; a client belongs into one of them, and its hash is keyed,
// so that nobody can aim at another's set.
class buckets
{
public:
    explicit buckets(const rate_limit_options& options)
        : interval_(static_cast<fiber::duration::rep>(1e9 / options.per_second)),
          depth_(interval_ * static_cast<fiber::duration::rep>(options.burst)),
          sets_(std::bit_ceil((options.clients + ways - 1) / ways))
    {
    }

    // Takes one token. Returns: how long until there is one; zero if it was taken.
    fiber::duration take(std::string_view client) noexcept
    {
        const hash_value hash = siphash(key_, client);
        const fiber::time_point now = fiber::now();
        const std::size_t index = hash[0] & (sets_.size() - 1);
        const fiber::spin_lock lock(locks_[index % locks_.size()]);
        bucket& mine = find(sets_[index], hash[1], now);
        const fiber::time_point full = std::max(mine.full, now) + interval_;
        if (full - now > depth_)
            return full - now - depth_;
        mine = {hash[1], full};
        return {};
    }

private:
    static constexpr std::size_t ways = 8; // 128 bytes: two lines of the cache

    struct bucket
    {
        std::uint64_t client = 0;
        fiber::time_point full{};
    };
    using set = std::array<bucket, ways>;

    // The client's, or the one that is full first, as a new one.
    static bucket& find(set& among, std::uint64_t client, fiber::time_point now) noexcept
    {
        bucket* fullest = &among[0];
        for (bucket& one : among) {
            if (one.client == client)
                return one;
            if (one.full < fullest->full)
                fullest = &one;
        }
        *fullest = {client, now};
        return *fullest;
    }

    fiber::duration interval_;
    fiber::duration depth_; // of a whole bucket, in time
    hash_key key_ = random_hash_key();
    std::array<fiber::spin, 64> locks_; // of the sets with that remainder
    std::vector<set> sets_;
};

std::string address_key(const request& req)
{
    const auto parsed = parse_address(req.client());
    if (!parsed)
        return std::string(req.client());
    const std::size_t size = parsed->is_v4() ? 16 : 8;
    return {reinterpret_cast<const char*>(parsed->bytes.data()), size};
}

response too_many(fiber::duration wait)
{
    problem p(status::too_many_requests, "this client has asked too often; nothing was done");
    p.type = "urn:heddle:rate-limited";
    p.title = "Too many requests of this client";
    response answer = reply(p);
    answer.set_header(field::retry_after,
                      std::to_string(std::chrono::ceil<std::chrono::seconds>(wait).count()));
    return answer;
}

void check(const rate_limit_options& o)
{
    if (!(o.per_second >= 1e-4 && o.per_second <= 1e6))
        throw config_error("rate_limit: per_second must be 0.0001 to 1000000");
    if (o.burst < 1 || o.burst > 100'000)
        throw config_error("rate_limit: burst must be 1 to 100000");
    if (o.clients < 1 || o.clients > (std::size_t{1} << 28))
        throw config_error("rate_limit: clients must be 1 to 2^28");
}

} // namespace

middleware rate_limit(rate_limit_options options)
{
    check(options);
    auto key = options.key ? std::move(options.key) : address_key;
    return [shares = std::make_shared<buckets>(options), key = std::move(key)](const request& req,
                                                                               const handler& next) {
        const fiber::duration wait = shares->take(key(req));
        return wait > fiber::duration::zero() ? too_many(wait) : next(req);
    };
}

} // namespace heddle::http
