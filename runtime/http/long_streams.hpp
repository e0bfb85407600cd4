// The streams that go on until somebody ends them: the server, when it is about to stop.
#pragma once

#include "fiber/spin.hpp"

namespace heddle::fiber {
class scope;
}

namespace heddle::http {

class long_streams
{
public:
    // One stream's place in the list, on its own fiber, inside of `scope`.
    class place
    {
    public:
        // When all have been ended already, this one is at once.
        place(long_streams& all, fiber::scope& scope) noexcept;
        ~place();
        place(const place&) = delete;
        place& operator=(const place&) = delete;

        bool was_ended() const noexcept; // by end_all()

    private:
        friend class long_streams;

        long_streams& all_;
        fiber::scope& scope_;
        place* previous_ = nullptr;
        place* next_ = nullptr;
    };

    // Cancels those that are there, and those that come. Threads: any.
    void end_all() noexcept;

private:
    mutable fiber::spin lock_; // guards what follows, and the scopes against being closed
    place* first_ = nullptr;
    bool has_ended_ = false;
};

} // namespace heddle::http
