// A statement as the server knows it: its name there, and what it has said about its parameters and columns.
#pragma once

#include "postgres/decode.hpp"
#include "postgres/handles.hpp"
#include "postgres/statement_text.hpp"

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::db::pg {

class prepared
{
public:
    using names = std::list<std::string>;

    // Its name goes to `dropped` in the end: the server still has it. A list: no memory is needed for that.
    prepared(names& dropped, std::string name, std::string_view text, result description)
        : dropped_(dropped),
          text_(text),
          dirtying_(pg::is_dirtying(text)),
          description_(std::move(description))
    {
        name_.push_back(std::move(name));
        for (int i = 0; i < PQnparams(description_.get()); ++i)
            parameters_.push_back(PQparamtype(description_.get(), i));
        for (int i = 0; i < PQnfields(description_.get()); ++i) {
            columns_.push_back(PQftype(description_.get(), i));
            binary_ = binary_ && is_known_in_binary(columns_.back());
        }
    }
    ~prepared() { dropped_.splice(dropped_.end(), name_); }
    prepared(const prepared&) = delete;
    prepared& operator=(const prepared&) = delete;

    const std::string& name() const noexcept { return name_.front(); }
    std::string_view text() const noexcept { return text_; }
    bool is_dirtying() const noexcept { return dirtying_; }
    const std::vector<Oid>& parameters() const noexcept { return parameters_; }
    const std::vector<Oid>& columns() const noexcept { return columns_; }
    const char* column_name(std::size_t i) const noexcept
    {
        return PQfname(description_.get(), static_cast<int>(i));
    }
    bool is_binary() const noexcept { return binary_; } // all its columns

    // For the cache: an open one stays.
    bool is_open() const noexcept { return open_; }
    void set_open(bool open) noexcept { open_ = open; }

private:
    names& dropped_;
    names name_;
    const std::string text_;
    const bool dirtying_;
    const result description_;
    std::vector<Oid> parameters_;
    std::vector<Oid> columns_;
    bool binary_ = true;
    bool open_ = false;
};

} // namespace heddle::db::pg
