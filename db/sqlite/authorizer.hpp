// What a statement of the application may not do on a connection that others use after it.
#pragma once

namespace heddle::db::lite {

// In the form of sqlite3_set_authorizer's callback, asked while a statement is prepared: SQLITE_OK or
// SQLITE_DENY.
int authorize(int action, const char* first, const char* second) noexcept;

} // namespace heddle::db::lite
