// Days as text.
#pragma once

#include <string_view>

namespace orders {

// Whether `text` is a day of the calendar, written 2026-01-31.
bool is_day(std::string_view text) noexcept;

} // namespace orders
