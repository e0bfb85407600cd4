// Numbers that others watch. Whoever owns a class keeps its counters and
// histograms beside it and pays one uncontended add for an event; a page, built
// by main from references to them, turns them into Prometheus' exposition format.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

namespace metrics_detail {

inline constexpr std::size_t shards = 16;

// The calling thread's shard. Not inline: a fiber may go on in
// another thread, and must not remember the first one's.
std::size_t shard() noexcept;

} // namespace metrics_detail

// Counts events, each thread in a cache line of its own.
// Threads: any.
class counter
{
public:
    void add(std::uint64_t n = 1) noexcept
    {
        shards_[metrics_detail::shard()].n.fetch_add(n, std::memory_order_relaxed);
    }

    std::uint64_t value() const noexcept
    {
        std::uint64_t sum = 0;
        for (const auto& shard : shards_)
            sum += shard.n.load(std::memory_order_relaxed);
        return sum;
    }

private:
    struct alignas(64) shard
    {
        std::atomic<std::uint64_t> n = 0;
    };
    std::array<shard, metrics_detail::shards> shards_;
};

// Counts durations in buckets whose upper bounds double: 8 us, 16 us, ... 67.1 s, and beyond.
// Threads: any.
class histogram
{
public:
    static constexpr std::size_t buckets = 24;
    // Upper bound (inclusive) of bucket `i`.
    static constexpr std::chrono::microseconds bound(std::size_t i)
    {
        return std::chrono::microseconds(8ULL << i);
    }

    void record(std::chrono::nanoseconds d) noexcept
    {
        auto& mine = shards_[metrics_detail::shard()];
        const auto ns = static_cast<std::uint64_t>(d.count() < 0 ? 0 : d.count());
        const auto eights = ns == 0 ? 0 : (ns - 1) / 8000; // bucket i holds 8 us * (2^(i-1), 2^i]
        const auto bucket = static_cast<std::size_t>(std::bit_width(eights));
        mine.n[bucket < buckets ? bucket : buckets].fetch_add(1, std::memory_order_relaxed);
        mine.nanoseconds.fetch_add(ns, std::memory_order_relaxed);
    }

    struct snapshot
    {
        // One by one, not cumulative; the last is beyond every bound.
        std::array<std::uint64_t, buckets + 1> n{};
        std::uint64_t count = 0;
        std::chrono::nanoseconds sum{};
    };
    snapshot read() const noexcept;

private:
    struct alignas(64) shard
    {
        std::array<std::atomic<std::uint64_t>, buckets + 1> n{};
        std::atomic<std::uint64_t> nanoseconds = 0;
    };
    std::array<shard, metrics_detail::shards> shards_;
};

using metric_labels = std::vector<std::pair<std::string, std::string>>;

// The families that are shown, in the order in which they were added. Adding
// to a name again adds a series to it. Everything that was added must outlive
// the page. Add everything first; then text() may be called from any thread.
class metrics_page
{
public:
    metrics_page();
    ~metrics_page();
    metrics_page(const metrics_page&) = delete;
    metrics_page& operator=(const metrics_page&) = delete;

    // `name` ends in _total for counters and _seconds for histograms.
    // Throws: config_error for a name or label that Prometheus
    // does not allow, or another type under the same name.
    void add(const std::string& name, const std::string& help, const counter& counter,
             const metric_labels& labels = {});
    void add(const std::string& name, const std::string& help, const histogram& histogram,
             const metric_labels& labels = {});
    // The callbacks are asked at each text(); they never park.
    void add_counter(const std::string& name, const std::string& help, std::function<double()> read,
                     const metric_labels& labels = {});
    void add_gauge(const std::string& name, const std::string& help, std::function<double()> read,
                   const metric_labels& labels = {});

    // The exposition, of type `content_type`.
    std::string text() const;
    static constexpr const char* content_type = "text/plain; version=0.0.4; charset=utf-8";

private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

} // namespace heddle
