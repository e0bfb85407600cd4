// Stacks for fibers: slots of one size, cut from slabs of 16 MB, each with a guard at its low end and its record at its
// high end. A slot is used again at once; its memory is given back when the runtime ends.
#pragma once

#include "fiber/record.hpp"
#include "fiber/spin.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <vector>

namespace heddle::fiber {

class stack_pool
{
public:
    // A worker's own stock, so that most takes touch no lock.
    struct cache
    {
        cache() { slots.reserve(capacity); }
        std::vector<record*> slots;
        static constexpr std::size_t capacity = 256;
    };

    // `stack_size`: bytes of a slot, a power of two of at least 16 KiB.
    explicit stack_pool(std::size_t stack_size);
    ~stack_pool();
    stack_pool(const stack_pool&) = delete;
    stack_pool& operator=(const stack_pool&) = delete;

    // A slot whose record is fresh. Throws std::bad_alloc.
    record* take(cache& own);
    void give_back(record* slot, cache& own) noexcept;

    // The lowest usable byte and the number of usable bytes below the record.
    std::byte* bottom(const record* slot) const noexcept;
    std::size_t usable() const noexcept;
    std::size_t stack_size() const noexcept { return stack_size_; }
    std::size_t made() const noexcept { return made_.load(std::memory_order_relaxed); }

    record* record_of(const void* inside) const noexcept;
    // Whether a fault at `address` is a stack that grew into its guard. Safe in a signal handler.
    bool is_guard(const void* address) const noexcept;
    // False if the fiber wrote below its stack (only where there is no guard page to stop it).
    bool canary_intact(const record* slot) const noexcept;

    // Looks at every record that was ever used.
    template <class F>
    void for_each(F&& f) const
    {
        const std::size_t slabs = slabs_.load(std::memory_order_acquire);
        for (std::size_t slab = 0; slab < slabs; ++slab) {
            const std::size_t used = slab_at_[slab].used.load(std::memory_order_acquire);
            for (std::size_t slot = 0; slot < used; ++slot)
                f(*record_of(slab_at_[slab].begin + slot * stack_size_));
        }
    }

private:
    static constexpr std::size_t slab_bytes = 16 * 1024 * 1024;
    static constexpr std::size_t guard_bytes = 4096;
    static constexpr std::size_t most_slabs = 16 * 1024; // 256 GB of address space
    static constexpr std::size_t most_mprotect_guards = 30'000; // vm.max_map_count is 65,530: two maps a guard
    static constexpr std::size_t batch = 32;

    struct slab
    {
        std::byte* begin = nullptr;
        void* mapping = nullptr;
        std::size_t mapping_bytes = 0;
        std::atomic<std::size_t> used = 0; // slots that have a record
    };

    void add_slab();
    record* fresh_slot();
    bool install_guard(std::byte* slot) noexcept;

    std::size_t stack_size_;
    std::size_t slots_per_slab_;
    spin lock_; // guards free_ and the making of slots
    std::vector<record*> free_;
    std::vector<slab> slab_at_;
    std::atomic<std::size_t> slabs_ = 0;
    std::atomic<std::size_t> made_ = 0;
    bool lightweight_guards_ = true;
};

} // namespace heddle::fiber
