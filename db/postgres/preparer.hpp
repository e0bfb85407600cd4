// Prepares statements and keeps them, by their text, for as long as the server's idea of them and ours agree.
#pragma once

#include "postgres/channel.hpp"
#include "postgres/prepared.hpp"
#include "statement_cache.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace heddle::db::pg {

class preparer
{
public:
    // `capacity` 0: nothing is kept; each statement is prepared without a name, in place of the one before
    // it.
    preparer(pg::channel& channel, std::size_t capacity)
        : channel_(channel), capacity_(capacity), kept_(capacity)
    {
    }

    // The statement with this text. Stays until forget_all(), or as long as it is open.
    // Parks: for a round trip if it is not known yet.
    // Throws: error, with what the server does not like in it; deadline_exceeded, cancelled.
    prepared& find(std::string_view text);

    // Whether find() would need no round trip.
    bool knows(std::string_view text) { return kept_.find(text) != nullptr; }

    // Whether the last find() found it here.
    bool was_kept() const noexcept { return was_kept_; }

    // The server, or its schema, is not the one that the statements were prepared with.
    void forget_all() noexcept;

    // Outside a transaction, and now and then: frees at the server what is no longer here. Parks.
    void tell_server();

private:
    std::unique_ptr<prepared> prepare(std::string_view text);
    result describe(const std::string& name, std::string_view text);
    bool run(const std::string& sql);

    pg::channel& channel_;
    const std::size_t capacity_;
    prepared::names dropped_; // the server still has them
    statement_cache<prepared> kept_;
    std::unique_ptr<prepared> only_; // where nothing is kept
    std::uint64_t number_ = 0;
    bool all_forgotten_ = false;
    bool was_kept_ = false;
};

} // namespace heddle::db::pg
