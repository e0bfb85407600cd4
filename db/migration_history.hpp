// What has run in a database, as its table says, held against the files there are now.
#pragma once

#include <heddle/db/migration.hpp>
#include <heddle/db/transaction.hpp>

#include <boost/describe.hpp>

#include "migration_files.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::db::migrating {

struct entry
{
    std::int64_t number;
    std::string name;
    std::string checksum;
    std::string state; // "begun", outside of a transaction; or "done"
};
BOOST_DESCRIBE_STRUCT(entry, (), (number, name, checksum, state))

// Whether another instance may be at it meanwhile.
enum class others
{
    locked_out,
    possible,
};

// Of one transaction. What it refers to must outlive it.
class history
{
public:
    // Throws: config_error if the files are wrong, or do not fit what has run.
    history(transaction& tx, const std::vector<migration_file>& files, const migration_options& options,
            others others);

    // Those to run, in their order.
    std::vector<step> missing() const;
    bool is_complete() const { return has_table_ && missing().empty(); }

    // Makes the table, if it is not there, with what has run before.
    void open();
    void note_begun(const step& one) { note(one, "begun"); }
    void note_done(const step& one);

private:
    void read();
    void compare(others others) const;
    void note(const step& one, const char* state);

    transaction& tx_;
    const migration_options& options_;
    const std::vector<step> steps_;
    bool has_table_ = false;
    std::vector<entry> entries_; // by number
};

} // namespace heddle::db::migrating
