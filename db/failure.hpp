// Runs something and keeps what it throws, so that the clean-up after it is outside of the catch block and
// may park.
#pragma once

#include <exception>

namespace heddle::db {

template <class F>
std::exception_ptr failure_of(F&& f)
{
    try {
        f();
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

} // namespace heddle::db
