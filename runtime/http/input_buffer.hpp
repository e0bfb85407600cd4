// Bytes that have been read and not yet used, in one piece of memory that does not grow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace heddle::http {

class input_buffer
{
public:
    explicit input_buffer(std::size_t capacity)
        : bytes_(std::make_unique_for_overwrite<char[]>(capacity)), capacity_(capacity)
    {
    }

    std::string_view unread() const noexcept { return {bytes_.get() + begin_, end_ - begin_}; }
    bool is_empty() const noexcept { return begin_ == end_; }
    std::size_t capacity() const noexcept { return capacity_; }

    void consume(std::size_t count) noexcept
    {
        begin_ += count;
        if (begin_ == end_)
            begin_ = end_ = 0;
    }

    // Where to read more to: all of what is free. Moves what is unread, so views of it are void.
    std::span<char> room() noexcept
    {
        if (begin_ > 0) {
            std::memmove(bytes_.get(), bytes_.get() + begin_, end_ - begin_);
            end_ -= begin_;
            begin_ = 0;
        }
        return {bytes_.get() + end_, capacity_ - end_};
    }
    void added(std::size_t count) noexcept
    {
        end_ += count;
        was_filled_ = end_ == capacity_;
    }
    // Of a read that went elsewhere.
    void read_apart(bool was_filled) noexcept { was_filled_ = was_filled; }
    // Whether the last read found less than it had room for, so that there was no more.
    bool took_all() const noexcept { return !was_filled_; }

    void assign(std::string_view bytes) noexcept
    {
        begin_ = 0;
        end_ = bytes.size();
        was_filled_ = false;
        std::copy(bytes.begin(), bytes.end(), bytes_.get());
    }

private:
    std::unique_ptr<char[]> bytes_;
    std::size_t capacity_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool was_filled_ = false;
};

} // namespace heddle::http
