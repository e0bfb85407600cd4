// One instance at a time. With SQLite the transaction that writes is the lock. PostgreSQL's is an advisory
// lock that is only ever tried: CREATE INDEX CONCURRENTLY waits for everybody who sees an older state of the
// database, and who waits for a lock sees one.
#pragma once

#include <heddle/db/error.hpp>
#include <heddle/db/sql.hpp>
#include <heddle/fiber/clock.hpp>
#include <heddle/fiber/runtime.hpp>

#include <chrono>

namespace heddle::db::migrating {

// The number is any that no other program takes for its own: "heddle" in ASCII. 1: it is had, to the end of
// the transaction or of the session.
inline constexpr sql try_to_lock{
    .sqlite = "SELECT 1", .postgres = "SELECT pg_try_advisory_xact_lock(x'686564646c65'::bigint)::int"};
inline constexpr const char* try_to_lock_session =
    "SELECT pg_try_advisory_lock(x'686564646c65'::bigint)::int";

class turn
{
public:
    explicit turn(fiber::duration budget) : until_(fiber::after(budget)) {}

    // Until the next try.
    // Parks. Throws: error(unavailable) when it has been too long.
    void wait() const
    {
        if (fiber::now() >= until_)
            throw error(kind::unavailable, "another instance runs migrations, and has not ended in time");
        fiber::sleep_for(std::chrono::milliseconds(100));
    }

private:
    fiber::time_point until_;
};

} // namespace heddle::db::migrating
