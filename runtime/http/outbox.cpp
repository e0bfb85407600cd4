#include "http/outbox.hpp"

#include <heddle/fiber/scope.hpp>
#include <heddle/net/error.hpp>

#include "fiber/park.hpp"

namespace heddle::http {

void outbox::flush()
{
    check_is_whole();
    const std::size_t sent = stream_->try_write_some(bytes_);
    if (sent < bytes_.size()) {
        do_not_flush_before_park(); // it would send the first part again, and move the rest
        const std::string_view rest = std::string_view(bytes_).substr(sent);
        is_torn_ = true;
        fiber::within(send_budget_, [&] { stream_->write(rest); });
        is_torn_ = false;
    }
    bytes_.clear();
}

void outbox::flush_with(std::string_view large)
{
    check_is_whole();
    do_not_flush_before_park();
    is_torn_ = true;
    fiber::within(send_budget_, [&] {
        stream_->write(bytes_);
        stream_->write(large);
    });
    is_torn_ = false;
    bytes_.clear();
}

void outbox::check_is_whole() const
{
    if (is_torn_)
        throw net::broken("a part of an earlier answer was not sent");
}

void outbox::flush_before_park() noexcept
{
    if (!bytes_.empty() && !is_torn_)
        fiber::set_before_park(&flush_now, this);
}

void outbox::do_not_flush_before_park() noexcept
{
    fiber::set_before_park(nullptr, nullptr);
}

void outbox::forget() noexcept
{
    bytes_.clear();
    is_torn_ = false;
    if (bytes_.capacity() > 2 * enough)
        std::string().swap(bytes_);
}

// Called with a lock held, between two lines of park(): what goes wrong here shows again at the next flush.
void outbox::flush_now(void* self) noexcept
{
    outbox& mine = *static_cast<outbox*>(self);
    try {
        mine.bytes_.erase(0, mine.stream_->try_write_some(mine.bytes_));
    } catch (const net::broken&) {
    }
}

} // namespace heddle::http
