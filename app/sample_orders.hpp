// Orders to try things with, always the same ones.
#pragma once

#include <heddle/db/database.hpp>

#include <cstdint>

namespace orders {

struct sample
{
    std::int64_t customers = 1000;
    std::int64_t orders = 10'000;
};

// Fills the tables, in one transaction, unless there is a customer already. Returns whether it did.
bool fill(heddle::db::lane& lane, const sample& amount);

} // namespace orders
