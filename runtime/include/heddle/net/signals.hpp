// Signals of the process, as something that a fiber can wait for.
#pragma once

#include <vector>

#include <signal.h>

namespace heddle::fiber {
struct descriptor;
}

namespace heddle::net {

// Catches some signals for as long as it lives; the destructor puts the former actions back.
// Of two that catch the same one, the newer gets it; they end in reverse order.
class signals
{
public:
    // Throws: std::system_error.
    explicit signals(const std::vector<int>& numbers);
    ~signals();
    signals(const signals&) = delete;
    signals& operator=(const signals&) = delete;

    // The next signal that came. Parks until one does. Throws: deadline_exceeded, cancelled.
    int wait();

    // As if the signal had come. Threads: any, also from a signal handler.
    void raise(int number) noexcept;

private:
    struct former
    {
        int number;
        struct sigaction action;
        signals* owner;
    };

    int take() noexcept;

    int fd_ = -1; // an eventfd: its count says nothing, the bits in pending_ do
    fiber::descriptor* descriptor_ = nullptr;
    unsigned long long pending_ = 0; // one bit a signal number; used atomically
    std::vector<former> formers_;
};

} // namespace heddle::net
