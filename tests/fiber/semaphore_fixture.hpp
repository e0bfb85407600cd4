// What the semaphore's cases start with.
#pragma once

#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/semaphore.hpp>

#include "guest.hpp"

#include <vector>

namespace heddle::testing {

struct semaphore_fixture
{
    testing::runtime runtime;

    // A fiber that acquires `count`, notes `id` in `order` and holds on for `hold`.
    guest taker(fiber::semaphore& from, std::vector<int>& order, int id, std::int64_t count = 1,
                fiber::duration hold = fiber::duration::zero())
    {
        return guest(runtime, [&from, &order, id, count, hold] {
            const auto mine = from.acquire(count);
            order.push_back(id);
            if (hold > fiber::duration::zero())
                fiber::sleep_for(hold);
        });
    }
};

} // namespace heddle::testing
