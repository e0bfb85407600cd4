#include "http/long_streams.hpp"

#include <heddle/fiber/scope.hpp>

namespace heddle::http {

long_streams::place::place(long_streams& all, fiber::scope& scope) noexcept : all_(all), scope_(scope)
{
    const fiber::spin_lock lock(all_.lock_);
    next_ = all_.first_;
    if (next_)
        next_->previous_ = this;
    all_.first_ = this;
    if (all_.has_ended_)
        scope_.cancel();
}

long_streams::place::~place()
{
    const fiber::spin_lock lock(all_.lock_);
    (previous_ ? previous_->next_ : all_.first_) = next_;
    if (next_)
        next_->previous_ = previous_;
}

bool long_streams::place::was_ended() const noexcept
{
    const fiber::spin_lock lock(all_.lock_);
    return all_.has_ended_;
}

void long_streams::end_all() noexcept
{
    const fiber::spin_lock lock(lock_);
    has_ended_ = true;
    for (place* one = first_; one; one = one->next_)
        one->scope_.cancel();
}

} // namespace heddle::http
