// Columns, in either of PostgreSQL's formats, as values.
#pragma once

#include <heddle/db/value.hpp>

#include "postgres/oids.hpp"

#include <string>
#include <string_view>

namespace heddle::db::pg {

// Where a value that is not in the result itself is written.
using scratch = std::string;

// Whether decode_binary knows the type. libpq has one format for all columns of a result: one that it does
// not know makes all of them come as text.
bool is_known_in_binary(Oid type) noexcept;

// The value looks at `bytes` or at `space`.
// Throws: error if the bytes are not of that type.
value decode_binary(Oid type, std::string_view bytes, scratch& space);
value decode_text(Oid type, std::string_view text, scratch& space);

} // namespace heddle::db::pg
