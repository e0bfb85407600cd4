// A pool guards anything of which there may be only so many: here scratch files, which are made, checked,
// written by one fiber at a time, and removed.
#include <heddle/fiber/offload.hpp>
#include <heddle/fiber/pool.hpp>
#include <heddle/testing/temporary_directory.hpp>

#include "guest.hpp"

#define BOOST_TEST_MODULE pool_of_files
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fiber = heddle::fiber;
using heddle::testing::guest;
using namespace std::chrono_literals;

namespace {

struct scratch_file
{
    std::filesystem::path path;
    std::ofstream out;
};

struct files_fixture
{
    heddle::testing::temporary_directory directory;
    int made = 0;
    std::size_t most = 0;
    heddle::testing::runtime runtime;

    fiber::pool_functions<scratch_file> functions()
    {
        return {.open = [this] { return make(); },
                .close =
                    [](scratch_file& one) {
                        fiber::offload([&] {
                            one.out.close();
                            std::filesystem::remove(one.path);
                        });
                    },
                .check =
                    [](scratch_file& one) {
                        return fiber::offload([&] { return std::filesystem::exists(one.path); });
                    }};
    }

    std::unique_ptr<scratch_file> make()
    {
        const std::filesystem::path path = directory.path(std::to_string(++made));
        auto one = fiber::offload([&] {
            return std::make_unique<scratch_file>(scratch_file{path, std::ofstream(path)});
        });
        most = std::max(most, here().size());
        return one;
    }

    // The files there are, with what is in them.
    std::vector<std::string> here() const
    {
        std::vector<std::string> all;
        for (const auto& entry : std::filesystem::directory_iterator(directory.path(""))) {
            std::ifstream in(entry.path());
            all.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
        }
        return all;
    }

    // Writes its name three times, and lets others run in between.
    guest writer(fiber::pool<scratch_file>& files, char name)
    {
        return guest(runtime, [&files, name] {
            const auto mine = files.acquire();
            for (int i = 0; i < 3; ++i) {
                fiber::offload([&] { mine->out << name << std::flush; });
                fiber::sleep_for(1ms);
            }
        });
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(pool_of_files, files_fixture)

BOOST_AUTO_TEST_CASE(lends_a_file_to_one_at_a_time_and_has_no_more_than_its_size)
{
    fiber::pool<scratch_file> two({.size = 2}, functions());
    std::vector<guest> all;
    for (char name = 'a'; name < 'g'; ++name)
        all.push_back(writer(two, name));

    runtime.advance(20ms);

    std::string written;
    for (const auto& one : here())
        written += one;
    BOOST_TEST(most == 2U);
    BOOST_TEST(written.size() == 18U);
    for (char name = 'a'; name < 'g'; ++name)
        BOOST_TEST(written.find(std::string(3, name)) != std::string::npos, written);
}

BOOST_AUTO_TEST_CASE(replaces_a_file_that_somebody_has_removed)
{
    fiber::pool<scratch_file> one({.size = 1, .check_after = 0ms}, functions());
    std::filesystem::remove(one.acquire()->path);

    const auto next = one.acquire();

    BOOST_TEST(std::filesystem::exists(next->path));
    BOOST_TEST(made == 2);
}

BOOST_AUTO_TEST_CASE(removes_every_file_when_it_closes)
{
    fiber::pool<scratch_file> three({.size = 3, .min_idle = 3}, functions());
    runtime.run_ready();
    BOOST_TEST(here().size() == 3U);

    three.close(1s);

    BOOST_TEST(here().empty());
}

BOOST_AUTO_TEST_SUITE_END()
