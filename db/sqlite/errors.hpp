// SQLite's result codes as exceptions.
#pragma once

#include <string_view>

struct sqlite3;

namespace heddle::db::lite {

// Throws what `code` stands for; if the scope has ended and that is why, deadline_exceeded or cancelled.
// Call it before anything else uses `handle`: the message is the handle's last.
[[noreturn]] void fail(sqlite3* handle, int code, std::string_view sql);

// The same for a COMMIT: an answer that leaves the outcome open is commit_unknown.
[[noreturn]] void fail_commit(sqlite3* handle, int code);

// Whether a handle that answered this must not be used again.
bool is_fatal(int code) noexcept;

} // namespace heddle::db::lite
