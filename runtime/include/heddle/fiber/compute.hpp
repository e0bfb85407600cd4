// Runs CPU work of more than a fraction of a millisecond where it delays no other request: on the
// low-priority compute workers, as many at a time as there are such workers.
#pragma once

#include <heddle/fiber/offload.hpp>

#include <type_traits>

namespace heddle::fiber {

namespace detail {
// Waits for a compute worker and continues there. Returns: whether it moved. Throws: deadline_exceeded,
// cancelled.
bool begin_compute();
void end_compute() noexcept;
} // namespace detail

// Returns what `f` returns, throws what `f` throws. Inside another compute(), and where there is no compute
// worker, `f` simply runs.
// Parks: until a compute worker is free. Not to be called in a catch block.
// Throws: deadline_exceeded, cancelled (then `f` has not run).
template <class F>
auto compute(F&& f)
{
    detail::call_result<std::remove_reference_t<F>> result(f);
    const bool moved = detail::begin_compute();
    result.run();
    if (moved)
        detail::end_compute(); // after the catch block in run(): an exception in flight does not change
                               // threads
    return result.take();
}

} // namespace heddle::fiber
