// How many requests may be sent again: a part of those that are sent at all, so that a service in trouble is
// not met by a multiple of its load.
#pragma once

#include <heddle/fiber/clock.hpp>

#include <atomic>
#include <cstdint>

namespace heddle::http {

// A bucket of tokens: each request puts a part of one in, and so does the time; each retry takes a whole one.
// Threads: any.
class retry_budget
{
public:
    struct options
    {
        double share = 0.1;         // of a token, for each request
        double least_a_second = 0;  // tokens, whatever the requests
        std::int64_t capacity = 10; // tokens
    };

    explicit retry_budget(const options& options) noexcept;

    void note_request() noexcept;
    // Takes a token, if there is one.
    bool try_take() noexcept;

private:
    void add(std::int64_t parts) noexcept;
    void note_time() noexcept;

    const std::int64_t share_;    // in parts of a token
    const std::int64_t a_second_; // the same
    const std::int64_t capacity_; // the same
    std::atomic<std::int64_t> parts_ = 0;
    std::atomic<fiber::time_point> filled_at_;
};

} // namespace heddle::http
