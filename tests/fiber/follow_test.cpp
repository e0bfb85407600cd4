// A fiber that begins where another ends: everything about it is new, and nobody waits longer for it.
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/testing/runtime.hpp>

#include "fiber/record.hpp"
#include "fiber/spawn.hpp"

#define BOOST_TEST_MODULE follow
#include <boost/test/unit_test.hpp>

#include <boost/fiber/fss.hpp>

#include <atomic>
#include <exception>
#include <functional>
#include <stdexcept>
#include <vector>

namespace fiber = heddle::fiber;
using namespace std::chrono_literals;

namespace {

// One function after the other, each on a fiber of its own.
struct chain
{
    std::vector<std::function<void()>> links;
    std::size_t done = 0;

    static void run(void* self)
    {
        chain& mine = *static_cast<chain*>(self);
        if (mine.done + 1 < mine.links.size())
            fiber::follow("link", fiber::task{&run, self});
        mine.links[mine.done++]();
    }
    void start() { fiber::spawn("link", fiber::task{&run, this}); }
};

void start_and_wait(chain& links)
{
    heddle::testing::runtime runtime;
    runtime.spawn([&] { links.start(); });
    runtime.run_ready();
    BOOST_TEST(links.done == links.links.size());
}

} // namespace

BOOST_AUTO_TEST_SUITE(follow)

BOOST_AUTO_TEST_CASE(nothing_of_the_first_is_left_to_the_second)
{
    fiber::record *first = nullptr, *second = nullptr;
    std::uint64_t first_serial = 0, second_serial = 0;
    bool has_scope = true, has_holds = true, has_exception = true;
    chain both;
    both.links = {
        [&] {
            first = fiber::self();
            first_serial = first->serial;
            const fiber::scope mine({.deadline = fiber::after(1h)});
            fiber::hold(&mine, "a permit");
            throw std::runtime_error("nobody's but the first one's");
        },
        [&] {
            second = fiber::self();
            second_serial = second->serial;
            has_scope = fiber::scope::current() != nullptr;
            has_holds = !second->holds.empty();
            has_exception = std::current_exception() != nullptr || std::uncaught_exceptions() != 0;
        },
    };
    start_and_wait(both);
    BOOST_TEST(first == second, "the stack is used again at once");
    BOOST_TEST(first_serial != second_serial);
    BOOST_TEST(!has_scope);
    BOOST_TEST(!has_holds);
    BOOST_TEST(!has_exception);
}

BOOST_AUTO_TEST_CASE(fiber_local_data_end_with_their_fiber)
{
    int ended = 0;
    bool seen = true;
    {
        struct counted
        {
            int& ended;
            ~counted() { ++ended; }
        };
        boost::fibers::fiber_specific_ptr<counted> local;
        chain both;
        both.links = {[&] { local.reset(new counted{ended}); }, [&] { seen = local.get() != nullptr; }};
        start_and_wait(both);
    }
    BOOST_TEST(!seen);
    BOOST_TEST(ended == 1);
}

BOOST_AUTO_TEST_CASE(those_who_wait_take_their_turn)
{
    std::size_t done_before = 0;
    chain endless;
    endless.links.assign(1000, [] {});
    heddle::testing::runtime runtime;
    runtime.spawn([&] {
        endless.start();
        fiber::spawn("waits", [&] { done_before = endless.done; });
    });
    runtime.run_ready();
    BOOST_TEST(endless.done == 1000u);
    BOOST_TEST(done_before > 0u);
    BOOST_TEST(done_before <= 16u);
}

BOOST_AUTO_TEST_CASE(a_thousand_chains_on_four_workers)
{
    constexpr std::size_t count = 1000, length = 50;
    std::atomic<std::size_t> done = 0;
    std::vector<chain> chains(count);
    for (std::size_t i = 0; i != count; ++i) {
        for (std::size_t link = 0; link != length; ++link)
            chains[i].links.push_back([&done, rests = (i + link) % 7 == 0] {
                if (rests)
                    fiber::sleep_for(10us);
                ++done;
            });
    }
    std::uint64_t spawned = 0;
    const int code = fiber::run({.workers = 4}, [&] {
        for (chain& one : chains)
            one.start();
        while (done < count * length)
            fiber::sleep_for(1ms);
        spawned = fiber::statistics().spawned;
    });
    BOOST_TEST(code == EXIT_SUCCESS);
    BOOST_TEST(spawned > count * length, "each link is a fiber of its own");
}

BOOST_AUTO_TEST_SUITE_END()
