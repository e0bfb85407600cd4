// Starts a fiber that nobody waits for. For the runtime's own parts; users have all() and task_group.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace heddle::fiber {

// Something to run once: a function and what it is called with, so that a spawn costs one allocation at most.
// Whatever `argument` owns belongs to the one call of `run`.
struct task
{
    void (*run)(void*) = nullptr;
    void* argument = nullptr;
};

// Makes a fiber ready that calls run(argument). `name` (a string literal) is what the dump shows until a scope names a route.
// An exception that leaves it is logged and ends only that fiber.
// Threads: any worker (also from a when_readable callback).
// Throws: std::bad_alloc when no stack can be had.
void spawn(const char* name, task what);

template <class F>
void spawn(const char* name, F&& f)
{
    using function = std::decay_t<F>;
    auto owned = std::make_unique<function>(std::forward<F>(f));
    spawn(name, task{[](void* argument) {
                         std::unique_ptr<function> mine(static_cast<function*>(argument));
                         (*mine)();
                     },
                     owned.get()});
    owned.release(); // NOLINT: the fiber owns it, and may have ended with it already
}

// The calling fiber's last words: when its task has returned, another fiber does `what`. It begins on the same stack and at
// once, unless other fibers have waited too long already or this one leaves fiber-local data behind; then it queues up like
// any other. It has an age, a serial number, a scope and holds of its own either way.
void follow(const char* name, task what) noexcept;

// Continues the calling fiber on the compute workers (low priority), also after each yield and park, or back
// on the normal ones. Usable in the middle of a call into a library, such as SQLite's progress handler. Both
// do nothing where there is no such worker, or it is there already.
void move_to_compute_worker() noexcept;
void move_to_normal_worker() noexcept;
// Whether the first of them would move the caller.
bool may_move_to_compute_worker() noexcept;
bool on_compute_worker() noexcept;

// Makes `f` of a helper thread reach fibers: see unpark(). Counts work outside, so that virtual time waits for it.
void outside_work_begins() noexcept;
void outside_work_ended() noexcept;

} // namespace heddle::fiber
