// Answers that have been made and not yet sent: pipelined ones go out together.
#pragma once

#include <heddle/fiber/clock.hpp>
#include <heddle/net/stream.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::http {

class outbox
{
public:
    static constexpr std::size_t enough = 64 * 1024; // bytes: no point in waiting for more

    // `to` must outlive what is put in. `send_budget`: how long one flush may take.
    void open(net::stream& to, fiber::duration send_budget) noexcept
    {
        stream_ = &to;
        send_budget_ = send_budget;
    }

    std::string& bytes() noexcept { return bytes_; }
    bool is_empty() const noexcept { return bytes_.empty(); }
    bool is_torn() const noexcept { return is_torn_; }
    bool is_full() const noexcept { return bytes_.size() >= enough; }

    // Sends all that is in it. Parks while the client does not read.
    // Throws: net::broken; deadline_exceeded, cancelled. Then nothing can be sent any more, since nobody
    // knows how far the client has read: every further call throws net::broken.
    void flush();

    // The same, and then `large`, which is not copied.
    void flush_with(std::string_view large);

    // Should this fiber park, what is in it is sent first as far as that goes without waiting: whoever waits
    // for these answers must not wait for the next one.
    void flush_before_park() noexcept;
    void do_not_flush_before_park() noexcept;

    void forget() noexcept; // drops what is in it, and memory beyond `enough`

private:
    void check_is_whole() const;
    static void flush_now(void* self) noexcept;

    net::stream* stream_ = nullptr;
    fiber::duration send_budget_{};
    std::string bytes_;
    bool is_torn_ = false;
};

} // namespace heddle::http
