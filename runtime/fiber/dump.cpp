#include <heddle/fiber/scope.hpp>

#include "fiber/runtime_state.hpp"

#include <mutex>
#include <string>

namespace heddle::fiber {

namespace {

std::string age(time_point born)
{
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now() - born).count();
    return std::to_string(ms) + "ms";
}

// Under the fiber's W: its scope cannot close meanwhile.
void describe(const record& fiber, std::string& out)
{
    const scope* const innermost = fiber.innermost;
    const std::string_view route = innermost ? innermost->route() : std::string_view();
    out += route.empty() ? std::string_view(fiber.task_name) : route;
    if (innermost && !innermost->request_id().empty())
        out.append(" request=").append(innermost->request_id());
    out.append(" age=").append(age(fiber.born));
    if (fiber.waiting) {
        out.append(" waits=").append(fiber.reason);
        if (fiber.name)
            out.append(":").append(fiber.name);
    } else {
        out += " runs";
    }
    for (const held& one : fiber.holds)
        out.append(" holds=").append(one.label);
    out += '\n';
}

} // namespace

std::string dump_fibers()
{
    std::string out;
    runtime_state* const state = the_runtime();
    if (!state)
        return out;
    state->stacks.for_each([&](record& fiber) {
        std::string line;
        line.reserve(512); // so that little is allocated under the spin lock
        {
            spin_lock w(fiber.lock);
            if (!fiber.alive)
                return;
            describe(fiber, line);
        }
        out += line;
    });
    return out;
}

} // namespace heddle::fiber
