// Divides a number of permits among several users, each with a share that is its own: what one does not use
// the others may borrow, and it gets its share back as soon as a borrower finishes.
#pragma once

#include <heddle/fiber/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle::fiber {

struct partition_options
{
    struct share
    {
        std::string name;
        std::int64_t guaranteed = 0;
    };

    std::string name = "partition";
    std::int64_t total = 16;                       // running at once, all shares together
    std::vector<share> shares;                     // their guarantees add up to at most `total`
    duration queue_wait = std::chrono::seconds(1); // longest wait
};

// Never more than `total` run, so a borrower delays the owner by at most its own time. A permit that comes
// free goes to the oldest waiter whose share is not used up; only if there is none, to the oldest waiter at
// all.
// Threads: any fiber of the runtime for enter(); any thread while the runtime runs for the rest, and for
// giving permits back.
class partition
{
public:
    class permit;

    // Throws: config_error, naming every wrong field.
    explicit partition(partition_options options);
    ~partition();
    partition(const partition&) = delete;
    partition& operator=(const partition&) = delete;

    // Takes a permit for the share with this index in `shares`.
    // Parks: for at most `queue_wait`.
    // Throws: overloaded (timed_out), by `queue_wait` or the scope's deadline; cancelled.
    permit enter(std::size_t share);

    std::int64_t running(std::size_t share) const noexcept;
    std::int64_t running() const noexcept;
    std::size_t waiting() const noexcept;

private:
    struct state;

    void give_back(std::size_t share) noexcept;

    std::unique_ptr<state> state_;
};

// Gives back once; the partition must outlive it.
class partition::permit
{
public:
    permit(permit&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)), share_(other.share_) {}
    permit& operator=(permit&& other) noexcept
    {
        std::swap(owner_, other.owner_);
        std::swap(share_, other.share_);
        return *this;
    }
    ~permit() { release(); }

    void release() noexcept
    {
        if (auto* const owner = std::exchange(owner_, nullptr))
            owner->give_back(share_);
    }

private:
    friend class partition;
    permit(partition* owner, std::size_t share) noexcept : owner_(owner), share_(share) {}

    partition* owner_;
    std::size_t share_;
};

} // namespace heddle::fiber
