// Boost has no way to ask, so this reads a private member: the access rules let an explicit instantiation name one.
// Source: C++20 [temp.spec.general]/6.
#include "fiber/local_data.hpp"

namespace heddle::fiber {

bool reads_empty(const boost::fibers::context& fiber) noexcept;

template <auto Member>
struct with_access
{
    friend bool reads_empty(const boost::fibers::context& fiber) noexcept { return (fiber.*Member).empty(); }
};
template struct with_access<&boost::fibers::context::fss_data_>;

bool has_local_data(const boost::fibers::context& fiber) noexcept
{
    return !reads_empty(fiber);
}

} // namespace heddle::fiber
