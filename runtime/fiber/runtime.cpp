#include <heddle/fiber/runtime.hpp>

#include <heddle/base/error.hpp>

#include "fiber/runtime_state.hpp"
#include "fiber/settle.hpp"
#include "fiber/spawn.hpp"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <unistd.h>

namespace heddle::fiber {

namespace {

std::atomic<runtime_state*> running_runtime{nullptr};

constexpr int most_named = 100; // of the fibers that are left at the end

// Sanitizers and unoptimised frames need more room than a plain build.
#if defined(BOOST_USE_ASAN) || defined(BOOST_USE_TSAN)
constexpr std::size_t stack_factor = 4;
#else
constexpr std::size_t stack_factor = 1;
#endif

runtime_options checked(runtime_options options)
{
    std::string wrong;
    if (options.workers == 0)
        options.workers = std::max(1u, std::thread::hardware_concurrency());
    if (options.workers > 1024)
        wrong += "workers: at most 1024; ";
    if (options.compute_workers > 1024)
        wrong += "compute_workers: at most 1024; ";
    if (options.offload_threads < 1 || options.offload_threads > 1024)
        wrong += "offload_threads: 1 to 1024; ";
    if (!std::has_single_bit(options.stack_size) || options.stack_size < 16 * 1024 ||
        options.stack_size > 16 * 1024 * 1024)
        wrong += "stack_size: a power of two from 16384 to 16777216; ";
    if (options.interrupt_budget < options.interrupt_budget.zero())
        wrong += "interrupt_budget: not negative; ";
    if (!wrong.empty())
        throw config_error("runtime_options: " + wrong.substr(0, wrong.size() - 2));
    options.stack_size *= stack_factor;
    return options;
}

// The first fiber: the body, and what it threw.
struct body_fiber
{
    const std::function<void()>& body;
    runtime_state& state;
    std::exception_ptr failure = nullptr;
    bool returned = false; // under state.ended_mutex

    void run() noexcept
    {
        try {
            body();
        } catch (...) {
            failure = std::current_exception();
        }
        std::lock_guard guard(state.ended_mutex);
        returned = true;
        state.ended.notify_all();
    }
};

// The first worker, which begins with the body, is started last: if a thread cannot be had, nothing has
// begun.
// Returns: why it could not; or nullptr.
std::exception_ptr start_threads(runtime_state& state, body_fiber& first)
{
    const std::function<void()> body = [&first] { spawn("body", [&first] { first.run(); }); };
    try {
        for (std::size_t i = state.workers.size(); i-- > 0;) {
            worker& w = *state.workers[i];
            w.thread = std::thread([&w, begin = i == 0 ? body : nullptr] { run_worker(w, begin); });
        }
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

void stop_threads(runtime_state& state)
{
    state.stopping.store(true, std::memory_order_seq_cst);
    for (auto& w : state.workers) {
        w->main_ready.store(true, std::memory_order_seq_cst);
        const std::uint64_t one = 1;
        if (w->computes) [[maybe_unused]]
            const auto written = ::write(w->wake_fd, &one, sizeof one);
    }
    state.epoll.wake();
    for (auto& w : state.workers)
        if (w->thread.joinable()) // or it could not be started
            w->thread.join();
    state.offload.stop();
}

bool wait_for_fibers(runtime_state& state, std::unique_lock<std::mutex>& lock)
{
    const auto all_ended = [&] { return state.fibers.load(std::memory_order_acquire) == 0; };
    if (all_ended())
        return true;
    state.ending.store(true, std::memory_order_seq_cst);
    lock.unlock();
    cancel_all_waits(state);
    lock.lock();
    return state.ended.wait_for(lock, state.options.interrupt_budget, all_ended);
}

std::string first_lines(const std::string& text, int count)
{
    std::size_t end = 0;
    while (count-- > 0 && end < text.size())
        end = std::min(text.find('\n', end), text.size() - 1) + 1;
    return text.substr(0, end);
}

// A fiber that never ends may keep its worker's thread for ever: nothing can be joined, so the process ends
// here.
[[noreturn]] void give_up()
{
    const std::string all = dump_fibers();
    const std::string left = first_lines(all, most_named);
    std::fprintf(stderr, "heddle: fibers that did not end within the interrupt budget:\n%s%s", left.c_str(),
                 left.size() < all.size() ? "... and more\n" : "");
    std::fflush(nullptr);
    std::_Exit(EXIT_FAILURE);
}

} // namespace

runtime_state::runtime_state(const runtime_options& given)
    : options(checked(given)),
      stacks(options.stack_size),
      computations(options.compute_workers, "compute"),
      offload(options.offload_threads)
{
    for (unsigned i = 0; i < options.workers + options.compute_workers; ++i)
        workers.push_back(std::make_unique<worker>(*this, i, i >= options.workers));
}

runtime_state::~runtime_state() = default;

runtime_state* the_runtime() noexcept
{
    return running_runtime.load(std::memory_order_acquire);
}

void set_the_runtime(runtime_state* state) noexcept
{
    running_runtime.store(state, std::memory_order_release);
}

offload_pool& the_offload_pool()
{
    return the_runtime()->offload;
}

int run(const runtime_options& options, const std::function<void()>& body)
{
    if (the_runtime())
        throw config_error("there is a runtime already: one at a time in a process");
    runtime_state state{options};
    set_the_runtime(&state);
    body_fiber first{body, state};
    if (const auto why_not = start_threads(state, first)) {
        stop_threads(state);
        set_the_runtime(nullptr);
        std::rethrow_exception(why_not);
    }
    {
        std::unique_lock lock(state.ended_mutex);
        state.ended.wait(lock, [&] { return first.returned; });
        if (!wait_for_fibers(state, lock))
            give_up();
    }
    stop_threads(state);
    set_the_runtime(nullptr);
    if (first.failure)
        std::rethrow_exception(first.failure);
    return EXIT_SUCCESS;
}

bool inside_runtime() noexcept
{
    return this_worker() != nullptr;
}

runtime_statistics statistics() noexcept
{
    runtime_statistics sum;
    const runtime_state* const state = the_runtime();
    if (!state)
        return sum;
    for (const auto& w : state->workers) {
        sum.switches += w->switches.load(std::memory_order_relaxed);
        sum.steals += w->steals.load(std::memory_order_relaxed);
        sum.polls += w->polls.load(std::memory_order_relaxed);
        sum.sleeps += w->sleeps.load(std::memory_order_relaxed);
        sum.spawned += w->spawned.load(std::memory_order_relaxed);
    }
    sum.fibers = state->fibers.load(std::memory_order_relaxed);
    sum.stacks = static_cast<std::int64_t>(state->stacks.made());
    return sum;
}

void cancel_all_waits(runtime_state& state) noexcept
{
    state.stacks.for_each([](record& fiber) { cancel_wait(&fiber, nullptr); });
}

} // namespace heddle::fiber
