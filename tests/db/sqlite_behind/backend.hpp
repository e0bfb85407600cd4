// What stands behind the connections of the pool's tests: sessions on a SQLite file, which are opened, used,
// checked and closed for real.
#pragma once

#include <heddle/db/driver.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/testing/temporary_directory.hpp>

#include <memory>
#include <stdexcept>

namespace heddle::testing {

struct place
{
    temporary_directory directory;
    std::shared_ptr<db::driver> driver = db::sqlite({.path = directory.path("pool.db")});
};

class backend
{
public:
    explicit backend(place& at) : session_(at.driver->open(db::access::read)) {}

    void use()
    {
        session_->begin({});
        const auto rows = session_->execute("SELECT 41 + 1", {});
        if (!rows->next() || rows->at(0).as_integer() != 42)
            throw std::logic_error("SQLite does not answer 42");
        session_->commit();
        session_->reset();
    }

    bool is_alive()
    {
        session_->ping();
        return session_->healthy();
    }

    void interrupt() noexcept { session_->interrupt(); }
    void close() { session_->close(); }

private:
    std::unique_ptr<db::session> session_;
};

} // namespace heddle::testing
