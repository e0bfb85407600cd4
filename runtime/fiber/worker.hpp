// One thread that runs fibers. A normal worker takes from its own queue, the injected one, and other workers'
// queues; a compute worker takes only from the computing queue, at low priority.
#pragma once

#include "fiber/ready_queue.hpp"
#include "fiber/record.hpp"
#include "fiber/stack_pool.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include <csignal>
#include <pthread.h>

namespace heddle::fiber {

struct runtime_state;

struct worker
{
    worker(runtime_state& state, unsigned index, bool computes);
    ~worker();
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;

    runtime_state& state;
    unsigned index;
    bool computes;
    std::thread thread; // not joinable for a test's own thread
    pthread_t thread_id{};
    sigset_t wait_mask{}; // blocked while it sleeps: as elsewhere, but for the nudge

    ready_queue queue;
    boost::fibers::context* dispatcher = nullptr;
    boost::fibers::context* main = nullptr;
    bool dispatcher_ready = false;        // this thread's only
    std::atomic<bool> main_ready = false; // set by whoever wakes the main context
    std::atomic<bool> notified = false;   // Boost's own primitives woke something here
    std::atomic<bool> sleeping = false;
    bool slept = false;                    // this thread's only: came out of sleep and has not yet found work
    std::atomic<time_point> alarm = never; // when its sleep in the epoll set ends; never: awake, or for good

    record main_record;
    record dispatcher_record;
    record* running = nullptr; // whose code this thread runs
    spin_lock handoff;         // released by the next context: belongs to the thread, not to a fiber's frame

    int wake_fd = -1; // compute workers: an eventfd of their own to sleep on
    unsigned tick = 0;
    bool must_poll = false;
    time_point next_look = time_point::min(); // when a fiber that yields lets the dispatcher poll again
    stack_pool::cache stacks;

    std::atomic<std::uint64_t> switches = 0; // written by this thread only
    std::atomic<std::uint64_t> steals = 0;
    std::atomic<std::uint64_t> polls = 0;
    std::atomic<std::uint64_t> sleeps = 0;
    std::atomic<std::uint64_t> spawned = 0;

    std::unique_ptr<std::byte[]> signal_stack; // where a stack overflow is reported from
};

// Counts on a counter with one writer: no locked instruction.
inline void count_one(std::atomic<std::uint64_t>& counter) noexcept
{
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// The worker of the calling thread, or nullptr. Not inline: a fiber that moved must not remember the old
// thread's.
worker* this_worker() noexcept;
void set_this_worker(worker* w) noexcept;

// A fiber has come into `here`'s own queue: wakes a sleeper if `here`, which is this thread's, cannot begin
// it at once. From a fiber that goes on running, one ready fiber is enough reason; the dispatcher runs the
// first itself.
void pushed_to_own_queue(worker& here) noexcept;

// Blocked in every worker but while it waits for events: interrupts that wait. Its default action is to be
// ignored.
inline constexpr int nudge_signal = SIGURG;

// Makes the calling thread a worker: its main context parks and resumes like a fiber, until leave_worker().
void enter_worker(worker& w);
void leave_worker(worker& w) noexcept;

// Makes the calling thread a worker until it is told to stop (runtime_state::stopping); calls `first`, if
// any, to begin with.
void run_worker(worker& w, const std::function<void()>& first);

// Counts a fiber that begins where another ends as if there had been a switch. False when the next switch
// must be a real one, because it has more to look at than the fibers that are ready.
bool take_a_turn(worker& w) noexcept;

// Makes the dispatcher the next choice: it looks at the descriptors and timers before it goes on.
void dispatch_next(worker& w) noexcept;

// Lets Boost's dispatcher run once: it frees the stacks of the fibers that have ended.
void release_ended_fibers(worker& w) noexcept;

} // namespace heddle::fiber
