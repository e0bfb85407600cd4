#include <heddle/net/signals.hpp>

#include "fiber/park.hpp"
#include "fiber/reactor.hpp"

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include <sys/eventfd.h>
#include <unistd.h>

namespace heddle::net {

namespace {

constexpr int most_signals = 64;

// Who gets a signal. A handler is a plain function: this is the one thing of the process it can look at.
std::atomic<signals*> owners[most_signals + 1];
std::atomic<int> handlers_running = 0; // on any thread: who they looked at must live until they return

void on_signal(int number)
{
    const int saved = errno; // the interrupted code may be about to read it
    handlers_running.fetch_add(1);
    if (signals* const owner = owners[number].load())
        owner->raise(number);
    handlers_running.fetch_sub(1);
    errno = saved;
}

[[noreturn]] void throw_errno(const char* what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

} // namespace

signals::signals(const std::vector<int>& numbers) : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    if (fd_ < 0)
        throw_errno("eventfd");
    descriptor_ = fiber::watch(fd_);
    formers_.reserve(numbers.size());
    for (const int number : numbers) {
        former f{number, {}, owners[number].exchange(this)};
        struct sigaction action
        {
        };
        action.sa_handler = on_signal;
        action.sa_flags = SA_RESTART;
        ::sigaction(number, &action, &f.action);
        formers_.push_back(f);
    }
}

signals::~signals()
{
    for (auto f = formers_.rbegin(); f != formers_.rend(); ++f) {
        ::sigaction(f->number, &f->action, nullptr);
        owners[f->number].store(f->owner);
    }
    while (handlers_running.load() > 0) {
        // A few instructions of another thread.
    }
    fiber::forget(descriptor_);
}

int signals::wait()
{
    for (;;) {
        if (const int number = take())
            return number;
        fiber::check(fiber::wait_ready(descriptor_, fiber::direction::read));
        std::uint64_t count = 0;
        [[maybe_unused]] const auto size =
            ::read(fd_, &count, sizeof count); // so that the next one is an edge again
    }
}

void signals::raise(int number) noexcept
{
    std::atomic_ref(pending_).fetch_or(1ULL << (number - 1), std::memory_order_acq_rel);
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(fd_, &one, sizeof one);
}

int signals::take() noexcept
{
    std::atomic_ref pending(pending_);
    const unsigned long long all = pending.load(std::memory_order_acquire);
    if (all == 0)
        return 0;
    const int number = std::countr_zero(all) + 1;
    pending.fetch_and(~(1ULL << (number - 1)), std::memory_order_acq_rel);
    return number;
}

} // namespace heddle::net
