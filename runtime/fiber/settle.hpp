// The other two ways in which a park is settled, beside unpark(): by its scope, and by its time.
#pragma once

#include "fiber/record.hpp"

namespace heddle::fiber {

// Settles `fiber` as cancelled if it waits interruptibly, and in the scope `within` (nullptr: in whichever).
bool cancel_wait(record* fiber, const scope* within) noexcept;

// Settles `fiber` as timed out if its wait is over by `time`; sets its timer anew if it waits longer.
void settle_if_due(record* fiber, time_point time) noexcept;

// Makes one sleeping compute worker look at its queue.
void wake_compute_worker(runtime_state& state) noexcept;

} // namespace heddle::fiber
