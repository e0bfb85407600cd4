// The table is made by the first migration, so that a database that was only looked at has none.
#include "migration_history.hpp"

#include <heddle/base/error.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace heddle::db::migrating {

namespace {

constexpr sql is_there{.sqlite = "SELECT count(*) FROM pragma_table_info($1)",
                       .postgres = "SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass($1)"};

// Goes into statements as it is.
const std::string& checked(const std::string& table)
{
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    if (table.empty() || !std::all_of(table.begin(), table.end(), fits) ||
        (table.front() >= '0' && table.front() <= '9'))
        refuse({"the table's name must be of lower-case letters, digits and '_', not \"" + table + "\""});
    return table;
}

std::string full_name(const entry& ran)
{
    const auto digits = std::to_string(ran.number);
    return std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits + "_" + ran.name;
}

// What is wrong between a file and what has run under its number; empty: nothing.
std::string difference(const entry& ran, const step& now, const std::string& table)
{
    if (ran.name != now.name)
        return full_name(ran) + " has run in this database, and is " + now.full + " in this program";
    if (ran.checksum != now.checksum)
        return now.full + " has changed since it ran (" + ran.checksum + ", and is " + now.checksum +
               "): put it back, and make the change in a new file";
    if (ran.state != "done")
        return now.full + " has begun, outside of a transaction, and not ended: look what of it is there; " +
               "then delete its row from " + table + " to run it again, or set its state to 'done'";
    return {};
}

} // namespace

history::history(transaction& tx, const std::vector<migration_file>& files, const migration_options& options,
                 others others)
    : tx_(tx), options_(options), steps_(steps_for(tx.dialect(), files))
{
    read();
    compare(others);
}

void history::read()
{
    has_table_ = tx_.one<std::int64_t>(is_there, checked(options_.table)) > 0;
    if (has_table_) {
        entries_ = tx_.query<entry>("SELECT number, name, checksum, state FROM " + options_.table +
                                    " ORDER BY number");
        return;
    }
    const auto before = options_.ran_before ? options_.ran_before(tx_) : 0;
    const auto known = static_cast<std::int64_t>(steps_.size());
    if (before > known)
        refuse({std::to_string(before) + " files have run in this database, and this program knows " +
                std::to_string(known) + ": it is older than the database"});
    for (std::int64_t i = 0; i < before; ++i) {
        const auto& step = steps_[static_cast<std::size_t>(i)];
        entries_.push_back({step.number, step.name, step.checksum, "done"});
    }
}

void history::compare(others others) const
{
    std::vector<std::string> wrong;
    std::int64_t before = 0;
    for (const auto& ran : entries_) {
        if (ran.number != before + 1)
            wrong.push_back(full_name(ran) + " has run in this database, and number " +
                            std::to_string(before + 1) + " has not");
        before = ran.number;
        if (ran.number < 1 || ran.number > static_cast<std::int64_t>(steps_.size())) {
            wrong.push_back(full_name(ran) + " has run in this database, and is not in this program, which " +
                            "is older than the database");
            continue;
        }
        const auto& now = steps_[static_cast<std::size_t>(ran.number - 1)];
        if (others == others::possible && ran.state == "begun") // it may be running just now
            continue;
        if (auto different = difference(ran, now, options_.table); !different.empty())
            wrong.push_back(std::move(different));
    }
    if (!wrong.empty())
        refuse(wrong);
}

std::vector<step> history::missing() const
{
    const auto is_done = [&](const step& one) {
        return std::any_of(entries_.begin(), entries_.end(),
                           [&](const entry& ran) { return ran.number == one.number && ran.state == "done"; });
    };
    std::vector<step> result;
    std::copy_if(steps_.begin(), steps_.end(), std::back_inserter(result),
                 [&](const step& one) { return !is_done(one); });
    return result;
}

void history::open()
{
    if (has_table_)
        return;
    const auto start = "CREATE TABLE " + options_.table;
    const auto sqlite = start + " (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, "
                                "state TEXT NOT NULL, "
                                "ran_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ')))";
    const auto postgres = start + " (number BIGINT PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, "
                                  "state TEXT NOT NULL, "
                                  "ran_at TIMESTAMPTZ NOT NULL DEFAULT date_trunc('second', now()))";
    tx_.run(sql{.sqlite = sqlite, .postgres = postgres});
    has_table_ = true;
    for (const auto& ran : entries_)
        note(steps_[static_cast<std::size_t>(ran.number - 1)], "done");
}

void history::note_done(const step& one)
{
    if (tx_.run("UPDATE " + options_.table + " SET state = 'done' WHERE number = $1", one.number) == 0)
        note(one, "done");
}

void history::note(const step& one, const char* state)
{
    tx_.run("INSERT INTO " + options_.table + " (number, name, checksum, state) VALUES ($1, $2, $3, $4)",
            one.number, one.name, one.checksum, std::string(state));
}

} // namespace heddle::db::migrating
