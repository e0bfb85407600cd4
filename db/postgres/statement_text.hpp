// What can be seen in a statement's text before it runs.
#pragma once

#include <string_view>

namespace heddle::db::pg {

// Whether it begins, ends or nests transactions, which is the lane's business. (What hides in a procedure or
// a script is found by its effect.)
bool is_transaction_control(std::string_view sql) noexcept;

// Whether it may leave something in the session: anything but SELECT, INSERT, UPDATE, DELETE and the like; or
// set_config and a session's advisory locks in one of these.
bool is_dirtying(std::string_view sql) noexcept;

// Whether one of the words that end a transaction is in it, be it in a name or a comment.
bool may_end_transaction(std::string_view script) noexcept;

} // namespace heddle::db::pg
