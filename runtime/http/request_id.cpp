// The middleware that names requests.

#include <heddle/fiber/scope.hpp>
#include <heddle/http/middleware.hpp>

#include "http/token.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>

namespace heddle::http {
namespace {

// Source: Sebastiano Vigna's SplitMix64. A bijection: different numbers stay different.
std::uint64_t mix(std::uint64_t x) noexcept
{
    x += 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

// Makes ids that do not repeat in one process, because of the counter, nor, most probably, in two, because of
// the seeds. They are no secrets.
class id_maker
{
public:
    using id = std::array<char, 32>; // 128 bits, hexadecimal

    id_maker()
    {
        std::random_device device;
        for (std::uint64_t* seed : {&first_seed_, &second_seed_})
            *seed = std::uint64_t{device()} << 32 | device();
    }

    id make() noexcept
    {
        const std::uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
        id made;
        write(made.data(), mix(first_seed_ ^ number));
        write(made.data() + 16, mix(second_seed_ + number));
        return made;
    }

private:
    static void write(char* to, std::uint64_t bits) noexcept
    {
        for (int i = 0; i != 16; ++i)
            to[i] = "0123456789abcdef"[bits >> (60 - 4 * i) & 15];
    }

    std::uint64_t first_seed_;
    std::uint64_t second_seed_;
    std::atomic<std::uint64_t> next_ = 0;
};

bool is_acceptable(std::string_view id) noexcept
{
    if (id.empty() || id.size() > request::max_request_id)
        return false;
    for (const char c : id) {
        if (!is_alphanumeric(c) && c != '-' && c != '_' && c != '.')
            return false;
    }
    return true;
}

} // namespace

middleware request_id()
{
    return [ids = std::make_shared<id_maker>()](const request& req, const handler& next) {
        const std::string_view sent = req.header("X-Request-Id");
        if (is_acceptable(sent)) {
            req.set_request_id(sent);
        } else {
            const id_maker::id made = ids->make();
            req.set_request_id({made.data(), made.size()});
        }

        std::optional<fiber::scope> named;
        if (fiber::scope::current())
            named.emplace(fiber::scope::options{.request_id = req.request_id()});
        response answer = next(req);
        answer.set_header("X-Request-Id", req.request_id());
        if (answer.is_streaming() && named) {
            answer.set_producer([id = std::string(req.request_id()), route = req.route(),
                                 inner = answer.body_producer()](sink& out) {
                fiber::scope again{{.request_id = id, .route = route}};
                inner(out);
            });
        }
        return answer;
    };
}

} // namespace heddle::http
