// A driver whose calls virtual time waits for, as it waits for offloaded ones: a server of its own process
// lives by the real clock, and no budget may pass while it thinks.
#pragma once

#include <heddle/db/driver.hpp>

#include "fiber/spawn.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outside {

namespace db = heddle::db;

struct counted
{
    counted() noexcept { heddle::fiber::outside_work_begins(); }
    ~counted() { heddle::fiber::outside_work_ended(); }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
};

class cursor final : public db::cursor
{
public:
    explicit cursor(db::open_cursor inner) : inner_(std::move(inner)) {}

    bool next() override
    {
        const counted time_stands;
        return inner_->next();
    }
    std::size_t columns() const noexcept override { return inner_->columns(); }
    std::string_view name(std::size_t column) const noexcept override { return inner_->name(column); }
    db::value at(std::size_t column) const override { return inner_->at(column); }
    std::int64_t changed() const noexcept override { return inner_->changed(); }
    void close() noexcept override { delete this; }

private:
    ~cursor() = default;

    const db::open_cursor inner_;
};

class session final : public db::session
{
public:
    explicit session(std::unique_ptr<db::session> inner) : inner_(std::move(inner)) {}

    void begin(const db::begin_options& options) override
    {
        const counted time_stands;
        inner_->begin(options);
    }
    void commit() override
    {
        const counted time_stands;
        inner_->commit();
    }
    void rollback() override
    {
        const counted time_stands;
        inner_->rollback();
    }
    db::open_cursor execute(std::string_view sql, std::span<const db::value> parameters) override
    {
        const counted time_stands;
        return db::open_cursor{new cursor(inner_->execute(sql, parameters))};
    }
    void script(std::string_view sql) override
    {
        const counted time_stands;
        inner_->script(sql);
    }
    void ping() override
    {
        const counted time_stands;
        inner_->ping();
    }
    void reset() override
    {
        const counted time_stands;
        inner_->reset();
    }
    void close() override
    {
        const counted time_stands;
        inner_->close();
    }
    bool in_transaction() const noexcept override { return inner_->in_transaction(); }
    void interrupt() noexcept override { inner_->interrupt(); }
    bool healthy() const noexcept override { return inner_->healthy(); }
    heddle::fiber::duration lock_wait() const noexcept override { return inner_->lock_wait(); }
    db::dialect dialect() const noexcept override { return inner_->dialect(); }

private:
    const std::unique_ptr<db::session> inner_;
};

class driver final : public db::driver
{
public:
    explicit driver(std::shared_ptr<db::driver> inner) : inner_(std::move(inner)) {}

    std::unique_ptr<db::session> open(db::access access) override
    {
        const counted time_stands;
        return std::make_unique<session>(inner_->open(access));
    }
    bool writes_by_ticket() const noexcept override { return inner_->writes_by_ticket(); }
    bool keeps_sessions() const noexcept override { return inner_->keeps_sessions(); }
    void check(std::vector<std::string>& wrong) const override { inner_->check(wrong); }
    const std::string& name() const noexcept override { return inner_->name(); }

private:
    const std::shared_ptr<db::driver> inner_;
};

} // namespace outside
