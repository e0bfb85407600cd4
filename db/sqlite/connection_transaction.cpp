// What none of the application's statements may be: BEGIN, COMMIT, ROLLBACK. A transaction that ends may
// leave the outer one open, which those that follow join by a savepoint.
#include "sqlite/connection.hpp"

#include "sqlite/errors.hpp"

#include <heddle/db/error.hpp>
#include <heddle/fiber/offload.hpp>
#include <heddle/fiber/scope.hpp>

#include "failure.hpp"

#include <sqlite3.h>

#include <exception>
#include <string>
#include <utility>

namespace heddle::db::lite {

namespace {

constexpr const char* own_texts[] = {"BEGIN",
                                     "BEGIN IMMEDIATE",
                                     "COMMIT",
                                     "ROLLBACK",
                                     "SAVEPOINT heddle_0",
                                     "RELEASE heddle_0",
                                     "ROLLBACK TO heddle_0"};

std::string savepoint(std::size_t depth)
{
    return "heddle_" + std::to_string(depth);
}

} // namespace

void connection::run_own(const std::string& sql)
{
    own_runs_ = true;
    const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
    own_runs_ = false;
    if (code == SQLITE_OK)
        return;
    note(code);
    fail(handle_, code, sql);
}

// Beforehand: there must not be too little memory for a ROLLBACK.
void connection::prepare_own()
{
    own_runs_ = true;
    for (std::size_t i = 0; i < own_.size(); ++i)
        if (const int code =
                sqlite3_prepare_v3(handle_, own_texts[i], -1, SQLITE_PREPARE_PERSISTENT, &own_[i], nullptr);
            code != SQLITE_OK)
            fail(handle_, code, own_texts[i]);
    own_runs_ = false;
}

int connection::run_own(own which)
{
    auto* const statement = own_[static_cast<std::size_t>(which)];
    own_runs_ = true;
    const int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    own_runs_ = false;
    if (code == SQLITE_DONE)
        return SQLITE_OK;
    note(code);
    return code;
}

void connection::require_own(own which)
{
    if (const int code = run_own(which); code != SQLITE_OK)
        fail(handle_, code, own_texts[static_cast<std::size_t>(which)]);
}

bool connection::is_open() const noexcept
{
    return sqlite3_get_autocommit(handle_) == 0;
}

void connection::begin()
{
    if (depth_ > 0) {
        run_own("SAVEPOINT " + savepoint(depth_));
        ++depth_;
        return;
    }
    watch_.begin();
    joined_ = is_open();
    if (joined_)
        require_own(own::savepoint);
    else if (const int code = run_own(access_ == access::read ? own::begin_read : own::begin_write);
             code != SQLITE_OK)
        fail(handle_, code, {});
    depth_ = 1;
}

void connection::finish()
{
    watch_.end();
    if (depth_ > 1) {
        const watch::protection protection{watch_};
        run_own("RELEASE " + savepoint(depth_ - 1));
        --depth_;
        return;
    }
    stop_statements();
    require_kept_foreign_keys();
    const watch::protection protection{watch_};
    if (joined_)
        require_own(own::release);
    depth_ = 0;
}

// RELEASE lets them pass, and COMMIT would fail for all.
void connection::require_kept_foreign_keys()
{
    int broken = 0;
    int unused = 0;
    sqlite3_db_status(handle_, SQLITE_DBSTATUS_DEFERRED_FKS, &broken, &unused, 0);
    if (broken != 0)
        throw error(kind::constraint, "FOREIGN KEY constraint failed",
                    std::to_string(SQLITE_CONSTRAINT_FOREIGNKEY));
}

void connection::commit()
{
    finish();
    if (depth_ == 0)
        commit_finished();
}

void connection::commit_finished()
{
    const watch::protection protection{watch_};
    int code = SQLITE_OK;
    const bool waits = std::exchange(expects_sync_, false) || (access_ == access::write && syncs_);
    if (waits) { // a worker must not; and who has released a savepoint has no time of its own left to end
        const fiber::shielded_scope no_end{fiber::duration::max()};
        code = fiber::offload([&] {
            const watch::on_helper_thread blocking{watch_};
            return run_own(own::commit);
        });
    } else {
        code = run_own(own::commit);
    }
    if (code != SQLITE_OK)
        fail_commit(handle_, code);
    has_setting_ = false;
}

void connection::undo_finished()
{
    has_setting_ = false;
    if (!is_open())
        return;
    stop_statements();
    const watch::protection protection{watch_};
    if (const int code = run_own(own::rollback); code != SQLITE_OK) {
        broken_ = true; // closing it undoes the rest
        fail(handle_, code, "ROLLBACK");
    }
}

void connection::rollback()
{
    watch_.end();
    if (depth_ == 0)
        return;
    const auto inner = --depth_;
    if (!is_open())
        return; // it is gone already, savepoints and all
    if (inner == 0 && !joined_)
        return undo_finished();
    stop_statements();
    const watch::protection protection{watch_};
    if (inner > 0) {
        run_own("ROLLBACK TO " + savepoint(inner));
        run_own("RELEASE " + savepoint(inner));
    } else if (const auto failure = failure_of([&] {
                   require_own(own::rollback_to);
                   require_own(own::release);
               })) {
        undo_finished(); // nobody's COMMIT may have any of it
        std::rethrow_exception(failure);
    }
}

std::size_t connection::depth() const noexcept
{
    return is_open() ? depth_ : 0;
}

} // namespace heddle::db::lite
