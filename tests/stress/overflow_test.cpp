// What is left to read when a handler needs more stack than there is.
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>

#define BOOST_TEST_MODULE overflow
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <cstdint>
#include <string>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fiber = heddle::fiber;

namespace {

constexpr std::size_t stack_size = 64 * 1024, guard_size = 4096; // bytes

int deeper(int n)
{
    volatile char frame[1024];
    frame[0] = static_cast<char>(n);
    return n == 0 ? 0 : deeper(n + 1) + frame[0];
}

int overflow_bit_by_bit()
{
    return deeper(1);
}

// Touches only the two ends of its frame, which is larger than the guard.
[[gnu::noinline]] int one_large_frame()
{
    volatile char frame[16 * 1024];
    frame[0] = 1;
    return frame[0];
}

// Goes down to between 1 and 3 KiB above the guard: the next frame of 16 KiB ends in the stack below.
int step_over_the_guard()
{
    volatile char frame[1024];
    frame[0] = 1;
    const auto left = reinterpret_cast<std::uintptr_t>(&frame[0]) % stack_size;
    return (left > guard_size + 3 * 1024 ? step_over_the_guard() : one_large_frame()) + frame[0];
}

// In a child process, because it dies of it.
[[noreturn]] void overflow_in_a_handler(int errors, int (*f)())
{
    ::dup2(errors, STDERR_FILENO);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    fiber::run({.workers = 1, .stack_size = stack_size}, [f] {
        const fiber::scope request{{.request_id = "r-17", .route = "/deep/{n}"}};
        f();
    });
    ::_exit(0);
}

std::string read_all(int fd)
{
    std::string text;
    char some[512];
    for (ssize_t count = 0; (count = ::read(fd, some, sizeof some)) > 0;)
        text.append(some, static_cast<std::size_t>(count));
    return text;
}

void check_what_is_said(int (*f)())
{
    int pipe[2];
    BOOST_REQUIRE(::pipe(pipe) == 0);
    const pid_t child = ::fork();
    if (child == 0)
        overflow_in_a_handler(pipe[1], f);
    ::close(pipe[1]);

    const std::string said = read_all(pipe[0]);
    ::close(pipe[0]);
    int status = 0;
    ::waitpid(child, &status, 0);

    BOOST_TEST(WIFSIGNALED(status));
    BOOST_TEST(WTERMSIG(status) == SIGSEGV);
    BOOST_TEST(said.find("/deep/{n}") != said.npos);
    BOOST_TEST(said.find("r-17") != said.npos);
    BOOST_TEST(said.find("65536 bytes") != said.npos);
}

} // namespace

BOOST_AUTO_TEST_SUITE(stack_overflow)

BOOST_AUTO_TEST_CASE(names_the_route_the_request_and_the_stack_size)
{
    check_what_is_said(&overflow_bit_by_bit);
}

BOOST_AUTO_TEST_CASE(is_seen_though_one_frame_is_larger_than_the_guard)
{
    check_what_is_said(&step_over_the_guard);
}

BOOST_AUTO_TEST_SUITE_END()
