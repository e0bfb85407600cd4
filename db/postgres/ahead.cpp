// Cuts what was announced into portions.
#include "postgres/ahead.hpp"

namespace heddle::db::pg {

namespace {

// Of what is sent before anything is read. Linux gives a socket more than that at the least.
constexpr std::size_t portion_bytes = 8 * 1024;

// About what a statement takes on the wire.
std::size_t size_of(const statement_call& call) noexcept
{
    constexpr std::size_t messages = 48; // Bind, Describe and Execute, with the statement's name
    std::size_t bytes = messages;
    for (const auto& one : call.parameters) {
        constexpr std::size_t number = 16; // with its length and its format
        bytes += number;
        if (one.type() == value_type::text || one.type() == value_type::decimal)
            bytes += one.as_text().size();
        else if (one.type() == value_type::bytes)
            bytes += one.as_bytes().size();
    }
    return bytes;
}

} // namespace

bool ahead::comes_next(std::string_view sql, std::span<const value> parameters) const noexcept
{
    if (taken_ == statements_.size())
        return false;
    const auto& call = statements_[taken_].call;
    return call.sql.data() == sql.data() && statements_[taken_].how->text() == sql &&
           call.parameters.data() == parameters.data() && call.parameters.size() == parameters.size();
}

std::span<const ahead_statement> ahead::portion() noexcept
{
    if (taken_ < sent_)
        return {};
    const auto first = sent_;
    std::size_t bytes = 0;
    do
        bytes += size_of(statements_[sent_++].call);
    while (sent_ < statements_.size() && bytes + size_of(statements_[sent_].call) <= portion_bytes);
    return std::span(statements_).subspan(first, sent_ - first);
}

} // namespace heddle::db::pg
