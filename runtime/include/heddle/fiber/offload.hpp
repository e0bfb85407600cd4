// Runs a call that blocks its thread (a file, a name look-up, a library without a non-blocking interface) on
// a helper thread, so that the workers go on with other fibers.
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace heddle::fiber {

namespace detail {
// Calls run(argument), which throws nothing, on a helper thread, and parks until it has returned.
void run_on_helper_thread(void (*run)(void*) noexcept, void* argument);

// What a call came to, carried from where it ran to where it is wanted.
template <class F>
class call_result
{
public:
    using value = std::invoke_result_t<F&>;
    static_assert(!std::is_reference_v<value>,
                  "return a value: what a reference points to may belong to another thread");

    explicit call_result(F& f) noexcept : f_(f) {}

    void run() noexcept
    {
        try {
            if constexpr (std::is_void_v<value>)
                f_();
            else
                value_.emplace(f_());
        } catch (...) {
            failure_ = std::current_exception();
        }
    }

    // Throws what the call has thrown.
    value take()
    {
        if (failure_)
            std::rethrow_exception(std::move(failure_));
        if constexpr (!std::is_void_v<value>)
            return *std::move(value_);
    }

private:
    struct nothing
    {
    };

    F& f_;
    std::exception_ptr failure_;
    std::optional<std::conditional_t<std::is_void_v<value>, nothing, value>> value_;
};
} // namespace detail

// Returns what `f` returns, throws what `f` throws.
// Parks: until `f` has ended. The scope's end takes it out of the queue for a thread; once it runs, it is
// waited for whatever happens, so that a permit held by the caller stands for work that is really going on.
// Throws: deadline_exceeded, cancelled (then `f` has not run).
template <class F>
auto offload(F&& f)
{
    detail::call_result<std::remove_reference_t<F>> result(f);
    detail::run_on_helper_thread([](void* call) noexcept { static_cast<decltype(result)*>(call)->run(); },
                                 &result);
    return result.take();
}

} // namespace heddle::fiber
