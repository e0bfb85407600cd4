// Starts the workers, runs a body on a fiber of its own, and stops when the body has returned.
#pragma once

#include <heddle/fiber/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::fiber {

struct runtime_options
{
    unsigned workers = 0;               // threads that run fibers; 0: one for each processor
    unsigned compute_workers = 1;       // low-priority threads for compute() and long reads
    unsigned offload_threads = 4;       // helper threads for blocking calls, started on demand
    std::size_t stack_size = 64 * 1024; // bytes of address space a fiber; a power of two
    std::chrono::milliseconds interrupt_budget =
        std::chrono::seconds(2); // how long cancelled fibers may take to end
};

// Runs `body` on a fiber and returns when it has returned and every other fiber has ended. What has not ended
// by then is cancelled and given `interrupt_budget`. What is left after that could hold a thread for ever, so
// it is named on stderr, and the process ends with EXIT_FAILURE.
// Returns: EXIT_SUCCESS.
// Throws: what `body` throws, after the workers have stopped; config_error; std::system_error if a thread
// cannot be started, before `body` begins.
// Threads: any thread that is not a worker; one runtime at a time in a process. May be called again.
int run(const runtime_options& options, const std::function<void()>& body);

// What the runtime has done so far, summed over its workers.
struct runtime_statistics
{
    std::uint64_t switches = 0;
    std::uint64_t steals = 0;
    std::uint64_t polls = 0;
    std::uint64_t sleeps = 0;
    std::uint64_t spawned = 0;
    std::int64_t fibers = 0; // alive now
    std::int64_t stacks = 0; // made so far
};
runtime_statistics statistics() noexcept;

// One line for each live fiber: route, request id, age, what it waits for, what it holds.
std::string dump_fibers();

// Whether the calling thread runs fibers (a worker, or a test inside testing::runtime).
bool inside_runtime() noexcept;

// Lets other fibers run.
void yield();

// Parks for `d`.
// Throws: deadline_exceeded, cancelled.
void sleep_for(duration d);

} // namespace heddle::fiber
