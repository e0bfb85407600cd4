#include "fiber/worker.hpp"

#include "fiber/overflow.hpp"
#include "fiber/runtime_state.hpp"
#include "fiber/scheduler.hpp"
#include "fiber/settle.hpp"

#include <boost/fiber/algo/round_robin.hpp>
#include <boost/fiber/operations.hpp>

#include <cxxabi.h>

#include <system_error>

#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

namespace heddle::fiber {

namespace {

thread_local worker* thread_worker = nullptr;

constexpr int low_priority = 10; // nice value of a compute worker

void let_nudges_wait(worker& w) noexcept
{
    sigset_t nudge;
    ::sigemptyset(&nudge);
    ::sigaddset(&nudge, nudge_signal);
    ::pthread_sigmask(SIG_BLOCK, &nudge, &w.wait_mask);
    ::sigdelset(&w.wait_mask, nudge_signal);
}

// A handler that does nothing: unlike an ignored signal, a handled one ends a wait.
void install_nudge_handler() noexcept
{
    struct sigaction action
    {
    };
    action.sa_handler = [](int) {};
    ::sigaction(nudge_signal, &action, nullptr);
}

} // namespace

[[gnu::noinline]] worker* this_worker() noexcept
{
    return thread_worker;
}

void set_this_worker(worker* w) noexcept
{
    thread_worker = w;
}

worker::worker(runtime_state& state, unsigned index, bool computes)
    : state(state), index(index), computes(computes)
{
    main_record.home = this;
    main_record.alive = true;
    main_record.task_name = "main";
    dispatcher_record.home = this;
    if (!computes)
        return;
    wake_fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_fd < 0)
        throw std::system_error(errno, std::generic_category(), "eventfd");
}

worker::~worker()
{
    if (wake_fd >= 0)
        ::close(wake_fd);
}

void enter_worker(worker& w)
{
    install_nudge_handler();
    let_nudges_wait(w);
    set_this_worker(&w);
    w.thread_id = ::pthread_self();
    watch_for_stack_overflow(w);
    w.main = boost::fibers::context::active();
    w.main_record.context = w.main;
    w.running = &w.main_record;
    boost::fibers::use_scheduling_algorithm<scheduler>(&w);
}

// Boost's scheduler of this thread goes on without us: it must not point to a worker that is gone. It moves
// what is ready to the new algorithm by asking ours for the next, without going there: our exception state,
// which pick_next() has put aside for the switch, is put back. A test's runtime may end while an exception is
// in flight.
void leave_worker(worker& w) noexcept
{
    release_ended_fibers(w);
    auto* const globals = reinterpret_cast<exception_state*>(abi::__cxa_get_globals());
    const exception_state mine = *globals;
    boost::fibers::use_scheduling_algorithm<boost::fibers::algo::round_robin>();
    *globals = mine;
    stop_watching_for_stack_overflow(w);
    set_this_worker(nullptr);
}

void run_worker(worker& w, const std::function<void()>& first)
{
    if (w.computes)
        ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), low_priority);
    enter_worker(w);
    if (first)
        first();
    // At least once, however late this thread began: stop_threads() makes each main context ready exactly
    // once.
    do
        w.main->suspend();
    while (!w.state.stopping.load(std::memory_order_acquire));
    w.state.epoll.wake(); // the next sleeper's turn to leave
    leave_worker(w);
}

void make_ready(record* fiber) noexcept
{
    runtime_state& state = *the_runtime();
    if (worker* const home = fiber->home) {
        home->main_ready.store(true, std::memory_order_seq_cst);
        if (home != this_worker())
            ::pthread_kill(home->thread_id, nudge_signal);
        return;
    }
    if (fiber->computes) {
        state.computing.push(fiber->context);
        return wake_compute_worker(state);
    }
    worker* const here = this_worker();
    if (!here || here->computes) {
        state.injected.push(fiber->context);
        wake_sleeper(state);
        return;
    }
    here->queue.push(fiber->context);
    pushed_to_own_queue(*here);
}

void pushed_to_own_queue(worker& here) noexcept
{
    const int enough = here.running == &here.dispatcher_record ? 1 : 0;
    if (here.queue.size() > enough)
        wake_sleeper(here.state);
}

void wake_one(runtime_state& state) noexcept
{
    if (!state.wake_pending.exchange(true, std::memory_order_seq_cst))
        state.epoll.wake();
}

// Taking the flag claims the sleeper, so that two who push at once wake two.
void wake_compute_worker(runtime_state& state) noexcept
{
    const std::uint64_t one = 1;
    for (const auto& other : state.workers) {
        if (!other->computes || !other->sleeping.load(std::memory_order_seq_cst) ||
            !other->sleeping.exchange(false, std::memory_order_seq_cst))
            continue;
        [[maybe_unused]] const auto written = ::write(other->wake_fd, &one, sizeof one);
        return;
    }
}

} // namespace heddle::fiber
