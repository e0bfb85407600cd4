// The states of an order and the steps between them: placed, paid, shipped, delivered; and cancelled, as long
// as it has not been shipped.
#pragma once

#include <string>
#include <string_view>

namespace orders {

bool is_state(std::string_view name) noexcept;

bool may_become(std::string_view from, std::string_view to) noexcept;

// "paid or cancelled": what may follow `from`, for people; empty after the last.
std::string next_states(std::string_view from);

// "placed, paid, shipped, delivered or cancelled"
std::string all_states();

} // namespace orders
