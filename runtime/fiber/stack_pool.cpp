#include "fiber/stack_pool.hpp"

#include <cstring>
#include <mutex>
#include <new>

#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_ADDRESS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_ADDRESS_SANITIZED 1
#endif
#endif
#if defined(HEDDLE_ADDRESS_SANITIZED)
#include <sanitizer/asan_interface.h>
#endif

namespace heddle::fiber {

namespace {

constexpr int madv_guard_install = 102; // Linux 6.13; older headers do not have it
constexpr std::uint64_t canary = 0x48454444'4c452121;

} // namespace

stack_pool::stack_pool(std::size_t stack_size)
    : stack_size_(stack_size),
      slots_per_slab_(stack_size < slab_bytes ? slab_bytes / stack_size : 1),
      slab_at_(most_slabs)
{
}

stack_pool::~stack_pool()
{
    for_each([](record& slot) { slot.~record(); });
    for (std::size_t i = 0; i < slabs_; ++i)
        ::munmap(slab_at_[i].mapping, slab_at_[i].mapping_bytes);
}

record* stack_pool::take(cache& own)
{
    if (own.slots.empty()) {
        spin_lock guard(lock_);
        while (own.slots.size() < batch) {
            if (free_.empty()) {
                own.slots.push_back(fresh_slot());
            } else {
                own.slots.push_back(free_.back());
                free_.pop_back();
            }
        }
    }
    record* const slot = own.slots.back();
    own.slots.pop_back();
#if defined(HEDDLE_ADDRESS_SANITIZED)
    __asan_unpoison_memory_region(bottom(slot), usable()); // the last fiber's frames did not all return
#endif
    return slot;
}

void stack_pool::give_back(record* slot, cache& own) noexcept
{
    own.slots.push_back(slot);
    if (own.slots.size() < cache::capacity)
        return;
    spin_lock guard(lock_);
    while (own.slots.size() > cache::capacity / 2) {
        free_.push_back(own.slots.back()); // add_slab() made room for every slot there is
        own.slots.pop_back();
    }
}

// Under lock_. The record is made here and lives until the pool's end.
record* stack_pool::fresh_slot()
{
    std::size_t count = slabs_.load(std::memory_order_relaxed);
    if (count == 0 || slab_at_[count - 1].used.load(std::memory_order_relaxed) == slots_per_slab_) {
        add_slab();
        ++count;
    }
    slab& last = slab_at_[count - 1];
    const std::size_t index = last.used.load(std::memory_order_relaxed);
    std::byte* const begin = last.begin + index * stack_size_;
    auto* const slot = new (begin + stack_size_ - sizeof(record)) record;
    slot->has_guard = install_guard(begin);
    if (!slot->has_guard)
        std::memcpy(bottom(slot), &canary, sizeof canary);
    last.used.store(index + 1, std::memory_order_release);
    made_.fetch_add(1, std::memory_order_relaxed);
    return slot;
}

void stack_pool::add_slab()
{
    const std::size_t count = slabs_.load(std::memory_order_relaxed);
    if (count == most_slabs)
        throw std::bad_alloc();
    free_.reserve((count + 1) * slots_per_slab_);

    const std::size_t bytes = slots_per_slab_ * stack_size_;
    const std::size_t mapped = bytes + stack_size_; // room to align the slots to their size
    void* const raw =
        ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED)
        throw std::bad_alloc();
    const auto address = (reinterpret_cast<std::uintptr_t>(raw) + stack_size_ - 1) & ~(stack_size_ - 1);
    ::madvise(raw, mapped, MADV_NOHUGEPAGE); // a huge page would make one small stack cost 2 MB
    slab& fresh = slab_at_[count];
    fresh.begin = reinterpret_cast<std::byte*>(address);
    fresh.mapping = raw;
    fresh.mapping_bytes = mapped;
    slabs_.store(count + 1, std::memory_order_release);
}

bool stack_pool::install_guard(std::byte* slot) noexcept
{
    if (lightweight_guards_ && ::madvise(slot, guard_bytes, madv_guard_install) == 0)
        return true;
    lightweight_guards_ = false;
    return made() < most_mprotect_guards && ::mprotect(slot, guard_bytes, PROT_NONE) == 0;
}

std::byte* stack_pool::bottom(const record* slot) const noexcept
{
    const auto end = reinterpret_cast<std::uintptr_t>(slot) + sizeof(record);
    return reinterpret_cast<std::byte*>(end - stack_size_ + guard_bytes);
}

std::size_t stack_pool::usable() const noexcept
{
    return stack_size_ - guard_bytes - sizeof(record);
}

record* stack_pool::record_of(const void* inside) const noexcept
{
    const auto begin = reinterpret_cast<std::uintptr_t>(inside) & ~(stack_size_ - 1);
    return reinterpret_cast<record*>(begin + stack_size_ - sizeof(record));
}

bool stack_pool::is_guard(const void* address) const noexcept
{
    const auto* const at = static_cast<const std::byte*>(address);
    const std::size_t slabs = slabs_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < slabs; ++i) {
        const std::byte* const begin = slab_at_[i].begin;
        if (at < begin || at >= begin + slots_per_slab_ * stack_size_)
            continue;
        return static_cast<std::size_t>(at - begin) % stack_size_ < guard_bytes;
    }
    return false;
}

bool stack_pool::canary_intact(const record* slot) const noexcept
{
    return slot->has_guard || std::memcmp(bottom(slot), &canary, sizeof canary) == 0;
}

} // namespace heddle::fiber
