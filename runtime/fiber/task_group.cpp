// The group's scope is open on the waiting fiber for as long as a task lives; each task opens its own inside
// it.
#include <heddle/fiber/task_group.hpp>

#include <heddle/fiber/scope.hpp>

#include "fiber/record.hpp"
#include "fiber/spawn.hpp"

#include <exception>

namespace heddle::fiber {

namespace {

// What the waiting fiber has, its child must not wait for: the record says whose child this fiber is.
class child_of
{
public:
    explicit child_of(record* parent) noexcept { set(parent); }
    ~child_of() { set(nullptr); }
    child_of(const child_of&) = delete;
    child_of& operator=(const child_of&) = delete;

private:
    static void set(record* parent) noexcept
    {
        record* const mine = self();
        const spin_lock guard(mine->lock);
        mine->parent = parent;
    }
};

} // namespace

struct task_group::state
{
    record* const parent = self();
    fiber::scope scope{fiber::scope::options{}};
    spin lock; // guards what follows
    std::size_t running = 0;
    record* waiting = nullptr;
    std::exception_ptr failure; // the first

    void fail(std::exception_ptr cause) noexcept
    {
        {
            const spin_lock guard(lock);
            if (failure)
                return;
            failure = std::move(cause);
        }
        scope.cancel();
    }

    void wait_for_all()
    {
        spin_lock guard(lock);
        while (running > 0) {
            waiting = self();
            park(guard, {.reason = "tasks", .interruptible = false});
            guard = spin_lock(lock); // also: the last task has left the lock before it goes away
        }
    }
};

void task_group::run_body(void (*call)(void*, task_group&), void* body)
{
    state mine;
    task_group group(mine);
    try {
        call(body, group);
    } catch (...) {
        mine.fail(std::current_exception());
    }
    mine.wait_for_all();
    if (mine.failure)
        std::rethrow_exception(std::move(mine.failure));
}

void task_group::start_fiber(void (*run)(void*), void* child)
{
    {
        const spin_lock guard(state_.lock);
        ++state_.running;
    }
    try {
        spawn("task", task{run, child});
    } catch (...) {
        one_ended();
        throw;
    }
}

void task_group::perform(void (*call)(void*), void* f) noexcept
{
    const child_of relation(state_.parent);
    try {
        const scope mine(state_.scope, {});
        mine.check();
        call(f);
    } catch (...) {
        state_.fail(std::current_exception());
    }
}

void task_group::one_ended() noexcept
{
    const spin_lock guard(state_.lock);
    if (--state_.running == 0 && state_.waiting)
        unpark(state_.waiting);
}

} // namespace heddle::fiber
