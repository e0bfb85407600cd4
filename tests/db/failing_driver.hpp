// A driver without a database, whose sessions note what they are told and fail where a test wants it.
#pragma once

#include "database_fixture.hpp"

#include <memory>
#include <string>

struct noting_session
{
    std::string calls; // each followed by a space
    std::string fails; // the call that fails; "unknown": COMMIT's answer is lost
    int conflicts = 0; // so many COMMITs fail with a conflict
    int begins = 1000; // later ones fail
    bool is_healthy = true;
    fiber::duration statement_time{};
};

// No rows, after some time.
class slow_cursor final : public db::cursor
{
public:
    explicit slow_cursor(fiber::duration time) : time_(time) {}

    bool next() override
    {
        fiber::sleep_for(time_);
        return false;
    }
    std::size_t columns() const noexcept override { return 0; }
    std::string_view name(std::size_t) const noexcept override { return {}; }
    db::value at(std::size_t) const override { return db::value::null(); }
    std::int64_t changed() const noexcept override { return 0; }
    void close() noexcept override { delete this; }

private:
    const fiber::duration time_;
};

class failing_session final : public db::session
{
public:
    explicit failing_session(noting_session& notes) : notes_(notes) {}

    void begin(const db::begin_options&) override
    {
        note("begin");
        if (notes_.begins-- <= 0)
            throw heddle::deadline_exceeded();
    }
    void commit() override
    {
        note("commit");
        if (notes_.fails == "unknown")
            throw db::commit_unknown("lost");
        if (notes_.conflicts-- > 0)
            throw db::error(heddle::kind::conflict, "somebody was faster");
    }
    void rollback() override { note("rollback"); }
    bool in_transaction() const noexcept override { return true; }
    db::open_cursor execute(std::string_view, std::span<const db::value>) override
    {
        return db::open_cursor{new slow_cursor(notes_.statement_time)};
    }
    void script(std::string_view) override {}
    void ping() override {}
    void interrupt() noexcept override {}
    bool healthy() const noexcept override { return notes_.is_healthy; }
    void reset() override { note("reset"); }
    void close() override { note("close"); }
    fiber::duration lock_wait() const noexcept override { return {}; }
    db::dialect dialect() const noexcept override { return db::dialect::postgres; }

private:
    void note(const std::string& call)
    {
        notes_.calls += call + " ";
        if (notes_.fails == call)
            throw db::error(heddle::kind::unavailable, call + " fails");
    }

    noting_session& notes_;
};

class failing_driver final : public db::driver
{
public:
    explicit failing_driver(noting_session& notes) : notes_(notes) {}

    std::unique_ptr<db::session> open(db::access) override
    {
        return std::make_unique<failing_session>(notes_);
    }
    bool writes_by_ticket() const noexcept override { return false; }
    void check(std::vector<std::string>&) const override {}
    const std::string& name() const noexcept override { return name_; }

private:
    noting_session& notes_;
    const std::string name_ = "none";
};

struct failing_fixture
{
    noting_session session; // first: the pool closes the last one when the runtime ends
    testing::runtime runtime;
    db::database database{{
        .driver = std::make_shared<failing_driver>(session),
        .pool = {.size = 1},
        .lanes = {{.name = "only", .running = 1, .waiting = 0}},
    }};
    db::lane& lane = database.lane("only");
};
