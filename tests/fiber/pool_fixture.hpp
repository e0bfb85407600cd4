// What the pool's cases start with.
#pragma once

#include "connections.hpp"
#include "guest.hpp"

#include <vector>

namespace heddle::testing {

using pool = fiber::pool<connection>;
using lease = fiber::lease<connection>;

struct pool_fixture
{
    connections database;
    testing::runtime runtime;
    std::vector<int> order; // ids of borrowers, or of connections as they are lent

    guest borrower(pool& from, fiber::duration time, int id = 0)
    {
        return guest(runtime, [this, &from, time, id] {
            const auto mine = from.acquire();
            order.push_back(id ? id : mine->id);
            mine->behind.use();
            fiber::sleep_for(time);
        });
    }

    std::vector<guest> borrowers(int count, pool& from, fiber::duration time)
    {
        std::vector<guest> all;
        for (int i = 0; i < count; ++i)
            all.push_back(borrower(from, time));
        return all;
    }
};

} // namespace heddle::testing
