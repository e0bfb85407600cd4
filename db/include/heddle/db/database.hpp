// A database: a driver, its pooled connections, and the lanes that lead to them.
#pragma once

#include <heddle/db/driver.hpp>
#include <heddle/db/lane.hpp>
#include <heddle/fiber/pool.hpp>

#include <deque>
#include <memory>
#include <string_view>
#include <vector>

namespace heddle::db {

struct database_options
{
    std::shared_ptr<db::driver> driver; // db::sqlite({...})
    fiber::pool_options pool = {};      // of connections, shared by all lanes
    std::vector<lane_options> lanes;
};

// Make it on a fiber. Outlives its lanes' users.
class database
{
public:
    // Throws: config_error, naming every wrong field.
    explicit database(database_options options);
    ~database();
    database(const database&) = delete;
    database& operator=(const database&) = delete;

    // The same one for the same name, always.
    // Throws: config_error, naming the lanes there are.
    db::lane& lane(std::string_view name);

    std::deque<db::lane>& lanes() noexcept { return lanes_; }

    // Of connections that read, or of all where writing needs no ticket.
    fiber::pool_statistics pool_statistics() const noexcept;

    // COMMITs, and transactions in them.
    group_statistics groups() const noexcept;

    // Lets operations wait for a connection, each for at most its budget, until resume(). Those that have one
    // go on.
    void suspend() noexcept;
    void resume() noexcept;

    // Closes every connection and opens new ones as they are wanted: idle ones now, the others when they come
    // back. After the database has moved, or its users' rights have changed.
    void clear() noexcept;

    // Of the pool; where writing goes by ticket, of the connections that read. A smaller size takes effect as
    // connections come back. Throws: config_error.
    void resize(std::int64_t size);

    // Closes the connections: idle ones now, the others when they come back, at the latest after `grace`.
    // Parks.
    void close(fiber::duration grace);

private:
    std::unique_ptr<connections> connections_;
    std::deque<db::lane> lanes_;
};

} // namespace heddle::db
