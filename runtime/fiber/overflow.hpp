// What a stack overflow in a handler ends with: a message that names the route and the stack size, not a bare crash.
#pragma once

#include "fiber/record.hpp"

#include <cstddef>

namespace heddle::fiber {

struct worker;

// Makes SIGSEGV on this thread run on a stack of its own, and installs the handler (once in a process).
void watch_for_stack_overflow(worker& w);
// Undoes it before the worker's thread, or its record, goes away.
void stop_watching_for_stack_overflow(worker& w) noexcept;

[[noreturn]] void die_of_stack_overflow(const record& fiber, std::size_t stack_size) noexcept;

} // namespace heddle::fiber
