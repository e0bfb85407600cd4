// The same files, under the same lock, as at the start of the server.
#include "migrate.hpp"

#include "database.hpp"
#include "orders.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace app {

int migrate(const settings& with, bool only_look)
{
    const heddle::log::writer writer(with.log);
    std::vector<std::string> names;
    heddle::fiber::run({.workers = 1}, [&] {
        auto unhurried = with;
        unhurried.sqlite.statement_ceiling = 0s; // nobody waits behind it for an answer
        const auto driver = driver_of(unhurried);
        names = only_look ? orders::missing_tables(driver) : orders::create_tables(driver);
    });
    for (const auto& name : names)
        std::printf("%s %s\n", name.c_str(), only_look ? "would run" : "has run");
    if (names.empty())
        std::puts("There is nothing to do.");
    return EXIT_SUCCESS;
}

} // namespace app
