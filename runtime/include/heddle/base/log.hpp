// Log records: one line each, written by a thread of the log's own, so that no fiber waits for a disk
// or a terminal. When lines come faster than they can be written the oldest are dropped and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::log {

enum class level
{
    info,
    warn,
    error
};
enum class format
{
    text,
    json
};

struct options
{
    log::format format = log::format::text;
    log::level least = log::level::info; // records below it cost a comparison
    std::string file = {};               // appended to; empty: stderr
    std::size_t queue = 4096;            // lines that may wait for the writer
};

using fields = std::initializer_list<std::pair<std::string_view, std::string>>;

// Writes one record. Control bytes are escaped and long values cut, so a record is
// always one line of bounded length. Before a writer exists the line goes to stderr.
// Threads: any. Never parks, never throws.
void info(std::string_view message, fields fields = {}) noexcept;
void warn(std::string_view message, fields fields = {}) noexcept;
void error(std::string_view message, fields fields = {}) noexcept;

// Whether records of this level are written: asked before a costly field is made.
bool enabled(level level) noexcept;

// Lines dropped so far by the writer that exists now.
std::uint64_t dropped() noexcept;

// The log of the process for as long as it lives; one at a time. Its destructor writes what waits.
// Must outlive every thread that logs: make it in main, before the runtime.
class writer
{
public:
    // Throws: config_error if the file cannot be opened.
    explicit writer(const options& options);
    ~writer();
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;

private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

// For tests: every line goes to `take` instead, one call at a
// time, for as long as this lives. `take` never parks.
class capture
{
public:
    explicit capture(std::function<void(level, std::string_view line)> take);
    ~capture();
    capture(const capture&) = delete;
    capture& operator=(const capture&) = delete;

private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

} // namespace heddle::log
