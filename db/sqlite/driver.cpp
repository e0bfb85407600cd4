// Sessions on one SQLite file: connections for reading, tickets for writing.
#include <heddle/db/error.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/offload.hpp>
#include <heddle/fiber/semaphore.hpp>

#include "sqlite/reader.hpp"
#include "sqlite/ticket.hpp"
#include "sqlite/writer.hpp"

#include <sqlite3.h>

#include <string>
#include <utility>

namespace heddle::db {

namespace lite {

namespace {

// One file: readers open connections to it, writers get tickets for its one writer.
class file_driver final : public driver
{
public:
    explicit file_driver(sqlite_options options)
        : options_(std::move(options)), writer_(std::make_shared<writer>(options_, readers_))
    {
    }

    std::unique_ptr<session> open(db::access access) override
    {
        if (access == access::write)
            return std::make_unique<ticket>(writer_);
        return fiber::offload([this]() -> std::unique_ptr<session> {
            return std::make_unique<reader>(std::make_unique<connection>(options_, access::read), readers_);
        });
    }

    bool writes_by_ticket() const noexcept override { return true; }

    void check(std::vector<std::string>& wrong) const override
    {
        if (options_.path.empty())
            wrong.push_back("sqlite.path is empty; it names the database's file");
        if (options_.path == ":memory:" || options_.path.starts_with("file:"))
            wrong.push_back("sqlite.path is \"" + options_.path +
                            "\"; it must be a file: readers and the writer open it "
                            "each for themselves");
        if (options_.lock_budget < fiber::duration::zero())
            wrong.push_back("sqlite.lock_budget is negative");
        if (options_.statement_ceiling < fiber::duration::zero())
            wrong.push_back("sqlite.statement_ceiling is negative");
        if (options_.log_limit < 1024 * 1024)
            wrong.push_back("sqlite.log_limit is " + std::to_string(options_.log_limit) +
                            "; it must be at least 1 MiB");
        if (options_.group_wait < fiber::duration::zero())
            wrong.push_back("sqlite.group_wait is negative");
        if (options_.group_limit < 1)
            wrong.push_back("sqlite.group_limit is 0; it must be at least 1");
        if (options_.statements < 1)
            wrong.push_back("sqlite.statements is 0; it must be at least 1");
    }

    const std::string& name() const noexcept override { return options_.path; }

    group_statistics groups() const noexcept override { return writer_->statistics(); }

private:
    const sqlite_options options_;
    // A permit for each transaction that reads; whoever has all of them knows that there is none.
    const std::shared_ptr<fiber::semaphore> readers_ =
        std::make_shared<fiber::semaphore>(fiber::semaphore::max_capacity, "readers");
    const std::shared_ptr<writer> writer_;
};

} // namespace

} // namespace lite

std::shared_ptr<driver> sqlite(sqlite_options options)
{
    // Statistics of memory would take a lock of the whole process for each allocation. Refused, and left as
    // it is, if somebody has used SQLite in this process already.
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    return std::make_shared<lite::file_driver>(std::move(options));
}

} // namespace heddle::db
