#include "fiber/overflow.hpp"

#include <heddle/fiber/scope.hpp>

#include "fiber/runtime_state.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <signal.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEDDLE_SANITIZED 1 // the sanitizer reports faults itself
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEDDLE_SANITIZED 1
#endif
#endif

namespace heddle::fiber {

namespace {

[[maybe_unused]] constexpr std::size_t signal_stack_bytes = 32 * 1024;

// Everything below runs in a signal handler: only write(), and no memory of its own.
void say(std::string_view text) noexcept
{
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

void say(std::size_t number) noexcept
{
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    say(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

void describe(const record& fiber, std::size_t stack_size) noexcept
{
    const scope* const innermost = fiber.innermost;
    say("heddle: stack overflow in ");
    if (innermost && !innermost->route().empty()) {
        say("the handler of ");
        say(innermost->route());
    } else {
        say(fiber.task_name ? fiber.task_name : "a fiber");
    }
    if (innermost && !innermost->request_id().empty()) {
        say(", request ");
        say(innermost->request_id());
    }
    say(": the stack has ");
    say(stack_size);
    say(" bytes (runtime_options::stack_size). Use less of it, or make it larger.\n");
}

[[maybe_unused]] void on_fault(int signal, siginfo_t* info, void*) noexcept
{
    worker* const w = this_worker();
    if (w && w->running && w->state.stacks.is_guard(info->si_addr))
        describe(*w->running, w->state.stacks.stack_size());
    ::signal(signal, SIG_DFL); // the fault happens again when we return, and ends the process as it should
}

} // namespace

void die_of_stack_overflow(const record& fiber, std::size_t stack_size) noexcept
{
    describe(fiber, stack_size);
    std::abort();
}

void watch_for_stack_overflow([[maybe_unused]] worker& w)
{
#if !defined(HEDDLE_SANITIZED)
    w.signal_stack = std::make_unique<std::byte[]>(signal_stack_bytes);
    stack_t alternate{};
    alternate.ss_sp = w.signal_stack.get();
    alternate.ss_size = signal_stack_bytes;
    ::sigaltstack(&alternate, nullptr);

    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action{};
        action.sa_sigaction = on_fault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        ::sigaction(SIGSEGV, &action, nullptr);
    });
#endif
}

void stop_watching_for_stack_overflow([[maybe_unused]] worker& w) noexcept
{
#if !defined(HEDDLE_SANITIZED)
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
    w.signal_stack.reset();
#endif
}

} // namespace heddle::fiber
