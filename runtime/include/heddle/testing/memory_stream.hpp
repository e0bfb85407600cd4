// A stream without a socket: a test plays the peer, byte by byte if it wants to.
#pragma once

#include <heddle/fiber/condition_variable.hpp>
#include <heddle/fiber/mutex.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/net/error.hpp>
#include <heddle/net/stream.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::testing {

// For fibers of one testing::runtime.
class memory_stream final : public net::stream
{
public:
    static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

    // What the peer does.
    void arrive(std::string_view bytes)
    {
        incoming_ += bytes;
        changed_.notify_all();
    }
    void end() // sends no more, but goes on reading
    {
        has_ended_ = true;
        changed_.notify_all();
    }
    void reset() // is gone
    {
        is_reset_ = true;
        if (request_)
            request_->cancel();
        changed_.notify_all();
    }
    void make_room(std::size_t bytes) // reads that much more; without a call it reads everything
    {
        room_ = (room_ == unlimited ? 0 : room_) + bytes;
        changed_.notify_all();
    }
    // How the network cuts what arrives.
    void deliver_at_most(std::size_t bytes) noexcept { per_read_ = bytes; }

    const std::string& written() const noexcept { return written_; }
    std::string take_written() { return std::exchange(written_, {}); }
    std::size_t unread() const noexcept { return incoming_.size(); }
    bool is_write_shut() const noexcept { return is_write_shut_; }

    // What the server does.
    std::size_t read_some(std::span<char> into) override
    {
        for (;;) {
            const std::ptrdiff_t count = try_read_some(into);
            if (count >= 0)
                return static_cast<std::size_t>(count);
            wait();
        }
    }

    std::ptrdiff_t try_read_some(std::span<char> into) override
    {
        check();
        if (incoming_.empty())
            return has_ended_ ? 0 : -1;
        const std::size_t count = std::min({into.size(), incoming_.size(), per_read_});
        incoming_.copy(into.data(), count);
        incoming_.erase(0, count);
        return static_cast<std::ptrdiff_t>(count);
    }

    void write(std::string_view all) override
    {
        for (;;) {
            all.remove_prefix(try_write_some(all));
            if (all.empty())
                return;
            wait();
        }
    }

    std::size_t try_write_some(std::string_view bytes) override
    {
        check();
        const std::size_t count = std::min(bytes.size(), room_);
        written_ += bytes.substr(0, count);
        if (room_ != unlimited)
            room_ -= count;
        return count;
    }

    void shutdown_write() noexcept override { is_write_shut_ = true; }
    void cancel_on_reset(fiber::scope* request) noexcept override
    {
        request_ = request;
        if (request && is_reset_)
            request->cancel();
    }

private:
    void check() const
    {
        if (is_reset_)
            throw net::broken("the peer has reset the connection");
    }

    void wait()
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock);
    }

    std::string incoming_;
    std::string written_;
    std::size_t room_ = unlimited;
    std::size_t per_read_ = unlimited;
    bool has_ended_ = false;
    bool is_reset_ = false;
    bool is_write_shut_ = false;
    fiber::scope* request_ = nullptr;
    fiber::mutex mutex_;
    fiber::condition_variable changed_;
};

} // namespace heddle::testing
