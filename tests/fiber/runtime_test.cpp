// The runtime that tests run in, and what it leaves to the thread it borrowed.
#include <heddle/testing/runtime.hpp>

#define BOOST_TEST_MODULE runtime
#include <boost/test/unit_test.hpp>

#include <exception>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(runtime)

BOOST_AUTO_TEST_CASE(ends_while_an_exception_passes_and_leaves_it_alone)
{
    int seen_inside = 0, seen_after = 0;
    try {
        struct look
        {
            int& seen;
            ~look() { seen = std::uncaught_exceptions(); }
        };
        const look after{seen_after};
        const heddle::testing::runtime borrowed;
        const look inside{seen_inside};
        throw std::runtime_error("a test has failed");
    } catch (const std::runtime_error&) {
        BOOST_TEST(std::uncaught_exceptions() == 0);
        BOOST_TEST((std::current_exception() != nullptr));
    }
    BOOST_TEST(seen_inside == 1);
    BOOST_TEST(seen_after == 1);
    BOOST_TEST(std::uncaught_exceptions() == 0);
    BOOST_TEST((std::current_exception() == nullptr));
}

BOOST_AUTO_TEST_SUITE_END()
