// The files of one database, checked and in their order.
#pragma once

#include <heddle/db/migration.hpp>
#include <heddle/db/sql.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::db::migrating {

struct step
{
    std::int64_t number = 0;
    std::string name; // "prices"
    std::string full; // "0007_prices"
    std::string text;
    std::string checksum;
    bool alone = false; // outside of a transaction
};

// Of a text, in 16 digits: FNV-1a, which no change of one byte escapes. It is there against accidents.
std::string checksum_of(std::string_view text);

// steps[n] has the number n + 1.
// Throws: config_error, with all that is wrong.
std::vector<step> steps_for(dialect which, const std::vector<migration_file>& files);

[[noreturn]] void refuse(const std::vector<std::string>& wrong);

} // namespace heddle::db::migrating
