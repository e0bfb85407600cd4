// What the gate's cases start with, and how they end.
#pragma once

#include <heddle/fiber/gate.hpp>
#include <heddle/fiber/runtime.hpp>

#include "guest.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

namespace heddle::testing {

struct gate_fixture
{
    testing::runtime runtime;

    // A fiber that runs inside for `time`.
    guest visitor(fiber::gate& through, fiber::duration time, fiber::duration budget = fiber::duration::max())
    {
        return guest(
            runtime, [&through, time] { through.run([time] { fiber::sleep_for(time); }); }, budget);
    }

    std::vector<guest> visitors(int count, fiber::gate& through, fiber::duration time)
    {
        std::vector<guest> all;
        for (int i = 0; i < count; ++i)
            all.push_back(visitor(through, time));
        return all;
    }

    void everything_is_back(const fiber::gate& of)
    {
        BOOST_TEST(of.slots().available() == of.slots().capacity());
        BOOST_TEST(of.turns().available() == of.turns().capacity());
        BOOST_TEST(of.turns().waiting() == 0U);
        BOOST_TEST(of.statistics().in_flight == 0);
    }
};

} // namespace heddle::testing
