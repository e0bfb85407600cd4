// The steps, as a table.
#include "order_state.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace orders {

namespace {

constexpr std::array<std::string_view, 5> states{"placed", "paid", "shipped", "delivered", "cancelled"};

struct allowed
{
    std::string_view from;
    std::string_view to;
};

constexpr std::array<allowed, 5> steps{{{"placed", "paid"},
                                        {"placed", "cancelled"},
                                        {"paid", "shipped"},
                                        {"paid", "cancelled"},
                                        {"shipped", "delivered"}}};

// "a, b or c"
template <class Names>
std::string one_of(const Names& names)
{
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0)
            text += i + 1 == names.size() ? " or " : ", ";
        text += names[i];
    }
    return text;
}

} // namespace

bool is_state(std::string_view name) noexcept
{
    return std::find(states.begin(), states.end(), name) != states.end();
}

bool may_become(std::string_view from, std::string_view to) noexcept
{
    return std::any_of(steps.begin(), steps.end(),
                       [&](const allowed& step) { return step.from == from && step.to == to; });
}

std::string next_states(std::string_view from)
{
    std::vector<std::string_view> next;
    for (const auto& step : steps)
        if (step.from == from)
            next.push_back(step.to);
    return one_of(next);
}

std::string all_states()
{
    return one_of(states);
}

} // namespace orders
