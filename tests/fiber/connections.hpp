// What the pool's tests borrow: numbered connections, and a place that opens and closes them as a test says.
// The program is built once for each backend.hpp, so that the pool keeps its promises with each.
#pragma once

#include <heddle/fiber/pool.hpp>
#include <heddle/fiber/runtime.hpp>

#include "backend.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace heddle::testing {

struct connection
{
    int id = 0;
    bool alive = true;
    testing::backend behind;
};

// Outlives the pools that use it.
struct connections
{
    place at;
    int opened = 0;
    int open = 0;
    int most_open = 0;
    int attempts = 0;
    int checks = 0;
    std::vector<int> closed; // ids, in order
    std::vector<int> interrupted;
    fiber::duration to_open = fiber::duration::zero();
    fiber::duration to_close = fiber::duration::zero();
    fiber::duration to_check = fiber::duration::zero();
    bool down = false;
    std::vector<connection*> here; // by id - 1; those closed are nullptr

    fiber::pool_functions<connection> functions()
    {
        return {.open = [this] { return make(); },
                .close = [this](connection& one) { end(one); },
                .check = [this](connection& one) { return check(one); },
                .interrupt =
                    [this](connection& one) {
                        one.behind.interrupt();
                        interrupted.push_back(one.id);
                    }};
    }

private:
    std::unique_ptr<connection> make()
    {
        ++attempts;
        if (to_open > fiber::duration::zero())
            fiber::sleep_for(to_open);
        if (down)
            throw std::runtime_error("attempt " + std::to_string(attempts) + " refused");
        backend behind(at);
        ++open;
        most_open = std::max(most_open, open);
        auto one = std::make_unique<connection>(connection{++opened, true, std::move(behind)});
        here.push_back(one.get());
        return one;
    }

    void end(connection& one)
    {
        if (to_close > fiber::duration::zero())
            fiber::sleep_for(to_close);
        one.behind.close();
        --open;
        closed.push_back(one.id);
        here[static_cast<std::size_t>(one.id) - 1] = nullptr;
    }

    bool check(connection& one)
    {
        ++checks;
        if (to_check > fiber::duration::zero())
            fiber::sleep_for(to_check);
        return one.alive && one.behind.is_alive();
    }
};

} // namespace heddle::testing
