// Runs CPU work of more than a fraction of a millisecond where it delays no other request: on the
// low-priority compute workers, as many at a time as there are such workers.
#pragma once

#include <heddle/fiber/offload.hpp>
#include <heddle/fiber/semaphore.hpp>

#include <type_traits>

namespace heddle::fiber {

namespace detail {
// Waits until one more may compute, and continues on a compute worker. Returns: no permit where it did not
// move. Throws: deadline_exceeded, cancelled.
semaphore::permit begin_compute();
void end_compute(semaphore::permit& place) noexcept;
} // namespace detail

// Returns what `f` returns, throws what `f` throws. Inside another compute(), and where there is no compute
// worker, `f` simply runs. If `f` yields or parks it goes on on a compute worker too, and keeps its place.
// Parks: until a compute worker is free. Not to be called in a catch block.
// Throws: deadline_exceeded, cancelled (then `f` has not run).
template <class F>
auto compute(F&& f)
{
    detail::call_result<std::remove_reference_t<F>> result(f);
    auto place = detail::begin_compute();
    result.run();
    detail::end_compute(place); // after the catch block in run(): an exception in flight changes no threads
    return result.take();
}

} // namespace heddle::fiber
