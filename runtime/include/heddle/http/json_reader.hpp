// Reads JSON token by token, straight into the caller's values: no tree is built, numbers keep their own
// text, and nesting is bounded, because a fiber's stack is small.
#pragma once

#include <heddle/base/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::http {

struct json_options
{
    enum class unknown
    {
        refuse,
        ignore
    };

    unknown unknown_members = unknown::refuse;
    heddle::kind blame = heddle::kind::value; // value: throws bad_request; any other: an error of that kind
};

class json_reader
{
public:
    static constexpr unsigned max_depth = 32; // arrays and objects inside each other

    // `text` must outlive the reader.
    explicit json_reader(std::string_view text, const json_options& options = {}) noexcept;

    bool ignores_unknown_members() const noexcept;

    // Each takes the next value. Throws what `blame` says, naming the place, when it is something else.
    bool take_null(); // false, and takes nothing, if it is not null
    bool read_bool();
    void read_string(std::string& into);
    std::int64_t read_integer(std::int64_t least, std::int64_t greatest);
    std::uint64_t read_unsigned(std::uint64_t greatest);
    double read_double();
    void skip();

    // while (next_member()) looks at name(), then takes one value.
    void enter_object();
    bool next_member();
    std::string_view name() const noexcept { return name_; } // until the next call

    // while (next_element()) takes one value.
    void enter_array();
    bool next_element();

    // Nothing but space may follow.
    void finish();

    // The value that is being read, or its member `name`, is wrong.
    [[noreturn]] void fail(std::string_view detail) const;
    [[noreturn]] void fail_at(std::string_view name, std::string_view detail) const;

private:
    struct level
    {
        std::string_view raw_name; // as it stands in the text, between the quotes
        std::size_t count = 0;     // members or elements seen
        bool array = false;
    };

    char peek() noexcept; // the next character that is no space; NUL at the end
    void enter(bool array);
    bool next(char close);
    bool take_word(std::string_view word) noexcept;
    std::string_view take_string(bool& escaped);
    std::string_view take_number();
    std::string pointer() const;
    [[noreturn]] void fail_here() const;
    [[noreturn]] void mismatch(std::string_view detail) const; // something else stands here, or nothing
    [[noreturn]] void refuse(std::string pointer, std::string_view detail) const;

    const char* at_;
    const char* end_;
    json_options options_;
    unsigned depth_ = 0;
    std::array<level, max_depth> levels_;
    std::string_view name_;
    std::string unescaped_name_;
};

} // namespace heddle::http
