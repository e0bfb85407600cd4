// Helper threads for calls that may hang on a dead network for as long as TCP likes: PQcancel, name look-ups.
// They are apart from the runtime's, which must stay free for others, and whoever waits for one may leave it.
#pragma once

#include <heddle/fiber/clock.hpp>

#include <cstddef>
#include <functional>
#include <memory>

namespace heddle::db::pg {

class helpers
{
public:
    class job;

    explicit helpers(std::size_t most_threads);
    // Idle threads end. One that hangs is left to itself: it owns what it uses.
    ~helpers();
    helpers(const helpers&) = delete;
    helpers& operator=(const helpers&) = delete;

    // Runs `f` on a thread, first come, first served. `f` must own what it uses, and returns whether it
    // succeeded. Throws: std::system_error when not even one thread can be had.
    std::shared_ptr<job> start(std::function<bool()> f);

    // Nobody waits for it any more: if it has not begun it never does.
    void withdraw(const std::shared_ptr<job>& job) noexcept;

    std::size_t queued() const noexcept;

private:
    struct state;
    static void work(const std::shared_ptr<state>& shared) noexcept;

    std::shared_ptr<state> state_;
};

enum class job_outcome
{
    succeeded,
    failed,
    unknown, // the scope ended first
};

// Parks: until the job has ended, or the scope has.
job_outcome wait_for(helpers::job& job);

} // namespace heddle::db::pg
