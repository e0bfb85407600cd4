// Everything that one running runtime shares: its workers, queues, timers, stacks and epoll set. One at a
// time in a process.
#pragma once

#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/semaphore.hpp>

#include "fiber/epoll_set.hpp"
#include "fiber/offload_pool.hpp"
#include "fiber/ready_queue.hpp"
#include "fiber/stack_pool.hpp"
#include "fiber/timers.hpp"
#include "fiber/worker.hpp"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace heddle::fiber {

struct runtime_state
{
    explicit runtime_state(const runtime_options& options);
    ~runtime_state();

    runtime_options options;
    epoll_set epoll;
    stack_pool stacks;
    fiber::timers timers;
    ready_queue injected;                         // made ready by a thread that is no normal worker
    ready_queue computing;                        // waits for a compute worker
    semaphore computations;                       // one permit for each compute worker: see compute()
    std::vector<std::unique_ptr<worker>> workers; // normal ones first, then compute workers
    offload_pool offload;

    std::atomic<int> idle_workers = 0;      // normal workers that sleep in epoll, or are about to
    std::atomic<bool> wake_pending = false; // a wake is on its way: no second one is needed
    std::atomic<bool> ending = false;       // every interruptible wait ends as cancelled
    std::atomic<bool> stopping = false;     // the workers' threads are to end
    std::atomic<std::int64_t> fibers = 0;   // alive
    std::atomic<std::int64_t> outside = 0;  // offloaded or computing: work that virtual time waits for
    std::atomic<std::uint64_t> next_serial = 1;

    bool virtual_time = false; // the clock below counts, and moves by testing::runtime only
    std::atomic<time_point> virtual_now = time_point{};

    std::mutex ended_mutex; // the thread in run() waits for fibers to end
    std::condition_variable ended;
};

// The running runtime, or nullptr.
runtime_state* the_runtime() noexcept;
void set_the_runtime(runtime_state* state) noexcept;

offload_pool& the_offload_pool();

// Makes a settled fiber run again. Any thread.
void make_ready(record* fiber) noexcept;

// Wakes one sleeping worker, unless one is being woken already.
void wake_one(runtime_state& state) noexcept;

// The same, if there is one: called after what it is to see has been published.
inline void wake_sleeper(runtime_state& state) noexcept
{
    if (state.idle_workers.load(std::memory_order_seq_cst) > 0)
        wake_one(state);
}

// Settles every interruptible wait as cancelled, once `ending` is set.
void cancel_all_waits(runtime_state& state) noexcept;

} // namespace heddle::fiber
