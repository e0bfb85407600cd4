// Readiness of descriptors, edge-triggered, from one epoll set that every worker looks into. A descriptor is added once.
// Try the system call first; wait only after EAGAIN.
#pragma once

#include <heddle/fiber/clock.hpp>

#include "fiber/park.hpp"
#include "fiber/spin.hpp"

#include <cstdint>

namespace heddle::fiber {

class scope;

enum class direction { read, write };

// How a descriptor's readiness is told.
enum class readiness : std::uint8_t
{
    edges,
    read_edges, // as edges, but nobody is told of room to write before he waits for it
    one_shot,   // when somebody waits, and once
};

// One descriptor in the epoll set. Lives in type-stable memory: a late event for a closed one finds another generation.
struct descriptor
{
    spin lock;                             // guards everything below; taken before W and before a scope's tree lock
    int fd = -1;
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    bool readable = false;                 // an edge came and nobody waited
    bool writable = false;
    bool read_closed = false;              // EPOLLRDHUP: the peer has sent its last byte; its edge may come only once
    readiness how = readiness::edges;
    bool reset = false;                    // EPOLLERR or EPOLLHUP: the edge comes once, so it is kept
    record* reader = nullptr;
    record* writer = nullptr;
    void (*on_readable)(void*) = nullptr;  // armed while idle: called once, on a worker, without locks; may start a fiber
    void* on_readable_argument = nullptr;
    scope* request = nullptr;              // cancelled when the peer resets
    descriptor* next_free = nullptr;
};

// Takes over `fd` (non-blocking) and adds it, edge-triggered. Throws std::system_error.
descriptor* watch(int fd);
// For listeners, and for descriptors that a library owns and may not read to the end: each wait re-arms it.
descriptor* watch_one_shot(int fd);
// For sockets that a library owns, where whoever waits to read knows that there is nothing left to be read: it
// saves a system call a wait. A socket whose peer has sent its last byte is always readable.
descriptor* watch_reads(int fd);
// Removes it from the set and forgets it. Closes `fd` if `close_it`. Nobody may wait on it.
void forget(descriptor* d, bool close_it = true) noexcept;

// Parks until `d` may be ready. Call only after EAGAIN.
wake wait_ready(descriptor* d, direction which, time_point until = never);

// Arms the idle state: `f(argument)` is called once, by the next edge. Returns false, and arms nothing, if an edge has
// come since the last EAGAIN: then read again.
bool when_readable(descriptor* d, void (*f)(void*), void* argument) noexcept;
// Takes that back. False if f has been or is about to be called.
bool cancel_when_readable(descriptor* d) noexcept;

// Names the scope that a reset by the peer cancels; nullptr takes it back. After it returns, the old one is not touched.
void attach_scope(descriptor* d, scope* request) noexcept;

bool was_reset(descriptor* d) noexcept;

// System calls that return -errno: errno's address must not be remembered across a switch to another worker.
namespace sys {
std::int64_t receive(int fd, void* data, std::size_t size) noexcept;
std::int64_t send(int fd, const void* data, std::size_t size) noexcept;
// Whether a receive() would return something: data, an end or an error.
bool has_data(int fd) noexcept;
int accept(int fd) noexcept;
} // namespace sys

} // namespace heddle::fiber
