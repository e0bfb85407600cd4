// Writes the write-ahead log back into the file, so that it stays bounded: off the workers, beside readers
// and the writer, on a connection of its own. SQLite's own way, inside of some COMMIT, would make that one
// request pay for all.
#pragma once

#include <heddle/db/sqlite.hpp>

#include "sqlite/connection.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace heddle::db::lite {

class writer;

class checkpointer : public std::enable_shared_from_this<checkpointer>
{
public:
    explicit checkpointer(sqlite_options options);

    // After each commit: how long the log is now. Starts a checkpoint on a fiber of its own when that is
    // worth it. `writer` is asked for its turn when the log must be begun anew.
    void log_has(std::int64_t bytes, const std::shared_ptr<lite::writer>& writer);

private:
    void run(lite::writer* writer); // nullptr: the log need not begin anew
    void write_back(bool begin_anew);

    const sqlite_options options_;
    std::atomic<bool> runs_ = false;
    std::atomic<std::int64_t> written_back_at_ = 0; // the log's length when it was last written back
    std::unique_ptr<connection> connection_;        // opened by the first checkpoint; for the one that runs
};

} // namespace heddle::db::lite
