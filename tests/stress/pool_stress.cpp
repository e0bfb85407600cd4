// The pool, offload() and compute() in a random storm.
#include <heddle/base/log.hpp>
#include <heddle/fiber/compute.hpp>
#include <heddle/fiber/offload.hpp>
#include <heddle/fiber/pool.hpp>
#include <heddle/fiber/runtime.hpp>

#include "storm.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fiber = heddle::fiber;
using heddle::testing::high_water;
using heddle::testing::in_trouble;
using heddle::testing::repeats;
using heddle::testing::run_many;
using heddle::testing::weather;
using namespace std::chrono_literals;

namespace {

constexpr fiber::runtime_options four_workers{.workers = 4};

struct connection
{
    std::atomic<int> users = 0;
};

} // namespace

BOOST_AUTO_TEST_SUITE(pool_storm)

// SEMANTICS 48, 57
BOOST_AUTO_TEST_CASE(pool_lends_each_connection_to_one_at_a_time)
{
    constexpr int size = 4;
    high_water open;
    std::atomic<int> shared = 0;
    std::atomic<int> lent = 0;
    std::atomic<int> attempt = 0;
    fiber::pool_statistics end;
    fiber::run(four_workers, [&] {
        fiber::pool<connection> pool(
            {.size = size, .min_idle = 1, .acquire_budget = 2ms, .max_idle = 1ms, .check_after = 100us},
            {.open =
                 [&] {
                     const int mine = ++attempt;
                     fiber::sleep_for(20us * (mine % 5));
                     if (mine % 500 == 499)
                         throw std::runtime_error("no");
                     open.rise();
                     return std::make_unique<connection>();
                 },
             .close =
                 [&](connection&) {
                     open.fall();
                     fiber::sleep_for(50us);
                 },
             .check = [&](connection&) { return ++attempt % 10 != 0; }});
        run_many(60, [&](int id) {
            weather random(id);
            for (int i = 0; i < repeats(50, 1'000); ++i)
                in_trouble(random, [&] {
                    auto mine = pool.acquire();
                    shared += mine->users.fetch_add(1) != 0;
                    struct user
                    {
                        connection& of;
                        ~user() { of.users.fetch_sub(1); }
                    } const counted{*mine};
                    ++lent;
                    if (random.one_in(20))
                        mine.mark_broken();
                    random.pause();
                });
        });
        const auto busy = pool.statistics();
        BOOST_TEST_MESSAGE("leased " << busy.leased << ", opened " << busy.opened << ", late "
                                     << busy.timed_out);
        pool.close(1s);
        end = pool.statistics();
    });

    BOOST_TEST(shared == 0);
    BOOST_TEST(open.most() <= size);
    BOOST_TEST(open.level() == 0);
    BOOST_TEST(lent > 0);
    BOOST_TEST(end.open == 0);
    BOOST_TEST(end.active == 0);
    BOOST_TEST(end.waiting == 0);
    BOOST_TEST(end.opened == end.closed);
}

// SEMANTICS 87: the closer reads what a borrower is just writing.
BOOST_AUTO_TEST_CASE(pool_names_a_statement_whole_while_the_next_one_begins)
{
    const std::string texts[] = {std::string(200, 'a'), std::string(200, 'b')};
    std::mutex mutex; // guards both counts: any worker may log
    int whole = 0;
    int torn = 0;
    {
        const heddle::log::capture capture([&](heddle::log::level, std::string_view line) {
            const auto has = [&](std::string_view part) { return line.find(part) != line.npos; };
            const std::lock_guard guard(mutex); // there is none yet where the borrower was held up
            whole += has(texts[0]) || has(texts[1]);
            torn += has("aab") || has("bba");
        });
        fiber::run(four_workers, [&] {
            fiber::pool<connection> pool({.size = 4, .acquire_budget = 1min, .leak_after = 100us},
                                         {.open = [] { return std::make_unique<connection>(); }});
            run_many(8, [&](int) {
                for (int i = 0; i < repeats(30, 1'000); ++i) {
                    const auto mine = pool.acquire();
                    mine.note_work(texts[0]);
                    for (const auto until = fiber::after(500us); fiber::now() < until; fiber::yield())
                        for (const auto& text : texts)
                            mine.note_work(text);
                }
            });
        });
    }
    BOOST_TEST(whole > 0);
    BOOST_TEST(torn == 0);
}

BOOST_AUTO_TEST_CASE(offload_brings_every_result_to_its_caller)
{
    std::atomic<int> wrong = 0;
    high_water together;
    fiber::run({.workers = 4, .offload_threads = 3}, [&] {
        run_many(100, [&](int id) {
            for (int i = 0; i < repeats(20, 500); ++i) {
                const int got = fiber::offload([&] {
                    together.rise();
                    const int value = id * 1000 + i;
                    together.fall();
                    return value;
                });
                wrong += got != id * 1000 + i;
                try {
                    fiber::offload([&] { throw id; });
                    ++wrong;
                } catch (int thrown) {
                    wrong += thrown != id;
                }
            }
        });
    });
    BOOST_TEST(wrong == 0);
    BOOST_TEST(together.most() <= 3);
}

BOOST_AUTO_TEST_CASE(compute_runs_as_many_at_once_as_there_are_compute_workers)
{
    std::atomic<int> wrong = 0;
    high_water together;
    fiber::run({.workers = 2, .compute_workers = 2}, [&] {
        run_many(30, [&](int id) {
            for (int i = 0; i < repeats(20, 500); ++i) {
                const int got = fiber::compute([&] {
                    together.rise();
                    for (const auto end = fiber::now() + 20us; fiber::now() < end;) {
                    }
                    together.fall();
                    return id + i;
                });
                wrong += got != id + i;
                try {
                    fiber::compute([&] { throw id; });
                    ++wrong;
                } catch (int thrown) {
                    wrong += thrown != id;
                }
            }
        });
    });
    BOOST_TEST(wrong == 0);
    BOOST_TEST(together.most() <= 2);
}

BOOST_AUTO_TEST_SUITE_END()
