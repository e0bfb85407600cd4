// What happens when the system has no thread for a worker.
#include <heddle/fiber/runtime.hpp>

#define BOOST_TEST_MODULE threads
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <fstream>
#include <system_error>

#include <sys/resource.h>
#include <unistd.h>

namespace fiber = heddle::fiber;

namespace {

// Leaves room for so much address space more, until its end. A thread's stack takes some of it.
class little_address_space
{
public:
    explicit little_address_space(rlim_t bytes)
    {
        ::getrlimit(RLIMIT_AS, &before_);
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlimit less{pages * static_cast<rlim_t>(::getpagesize()) + bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_AS, &less);
    }
    ~little_address_space() { ::setrlimit(RLIMIT_AS, &before_); }
    little_address_space(const little_address_space&) = delete;
    little_address_space& operator=(const little_address_space&) = delete;

private:
    rlimit before_{};
};

} // namespace

BOOST_AUTO_TEST_SUITE(threads)

BOOST_AUTO_TEST_CASE(a_thread_that_cannot_be_had_ends_the_run_before_it_begins)
{
    bool began = false;
    bool refused = false;
    {
        const little_address_space room(256 * 1024 * 1024);
        try {
            fiber::run({.workers = 512, .compute_workers = 512}, [&] { began = true; });
        } catch (const std::system_error&) {
            refused = true;
        }
    }
    BOOST_TEST(refused);
    BOOST_TEST(!began);
    BOOST_TEST(fiber::run({.workers = 4}, [&] { began = true; }) == EXIT_SUCCESS);
    BOOST_TEST(began);
}

BOOST_AUTO_TEST_SUITE_END()
