// Runs a number of tasks side by side that is known only at run time; each on a fiber of its own.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace heddle::fiber {

// Exists only inside run(), so that no task outlives what it refers to:
//
//     task_group::run([&](task_group& tasks) {
//         for (auto& part : parts)
//             tasks.start([&part] { part.load(); });
//     });
class task_group
{
public:
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;

    // Calls `body` with a group to start tasks in, and waits for each of them.
    // The first failure, of a task or of `body`, cancels the others; when all have ended it is thrown on.
    // Parks: until the last task has ended, also when the scope ends meanwhile (the tasks' scopes end with
    // it).
    template <class Body>
    static void run(Body&& body)
    {
        using function = std::remove_reference_t<Body>;
        run_body([](void* call, task_group& group) { (*static_cast<function*>(call))(group); },
                 const_cast<void*>(static_cast<const void*>(std::addressof(body))));
    }

    // Starts `f` on a fiber inside the group's scope: its deadline, its request. A task whose group has
    // failed meanwhile does not run at all. Tasks may start tasks.
    // Throws: std::bad_alloc.
    template <class F>
    void start(F&& f)
    {
        auto owned = std::make_unique<child<std::decay_t<F>>>(*this, std::forward<F>(f));
        start_fiber(&run_child<std::decay_t<F>>, owned.get());
        owned.release(); // NOLINT: the fiber owns it now
    }

private:
    struct state;

    template <class F>
    struct child
    {
        template <class G>
        child(task_group& group, G&& g) : group_(group), f_(std::forward<G>(g))
        {
        }

        task_group& group_;
        F f_;
    };

    // `f` goes before the group hears of its end: what it captured may refer to the frame that waits.
    template <class F>
    static void run_child(void* argument)
    {
        std::unique_ptr<child<F>> mine(static_cast<child<F>*>(argument));
        task_group& group = mine->group_;
        group.perform([](void* f) { (*static_cast<F*>(f))(); }, std::addressof(mine->f_));
        mine.reset();
        group.one_ended();
    }

    explicit task_group(state& state) noexcept : state_(state) {}

    static void run_body(void (*call)(void*, task_group&), void* body);
    void start_fiber(void (*run)(void*), void* child);
    void perform(void (*call)(void*), void* f) noexcept;
    void one_ended() noexcept;

    state& state_;
};

} // namespace heddle::fiber
