// Hands records to spdlog's asynchronous logger. The line is rendered where it is logged; time and writing
// are the writer thread's.
#include <heddle/base/log.hpp>

#include <heddle/base/error.hpp>

#include "base/log_line.hpp"

#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <atomic>
#include <cstdio>
#include <mutex>

namespace heddle::log {

namespace {

// Where lines go. The one thing of the process that is reached without being handed over: a log record may be
// wanted anywhere, and must not be a parameter everywhere.
struct sink
{
    virtual ~sink() = default;
    virtual void take(level level, std::string_view message, fields fields) = 0;
    virtual std::uint64_t dropped() const { return 0; }
    level least = level::info;
};

std::atomic<sink*> current = nullptr;

const char* name_of(level level)
{
    return level == level::info ? "info" : level == level::warn ? "warning" : "error";
}

void record(level level, std::string_view message, fields fields) noexcept
{
    try {
        if (auto* out = current.load(std::memory_order_acquire)) {
            if (level >= out->least)
                out->take(level, message, fields);
        } else {
            const auto line = std::string(name_of(level)) + ' ' + text_line(message, fields) + '\n';
            std::fwrite(line.data(), 1, line.size(), stderr);
        }
    } catch (...) {
        // Out of memory: a log line is the first thing that can be done without.
    }
}

spdlog::sink_ptr open(const std::string& file)
{
    if (file.empty())
        return std::make_shared<spdlog::sinks::stderr_sink_mt>();
    try {
        return std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    } catch (const spdlog::spdlog_ex& failure) {
        throw config_error(failure.what());
    }
}

spdlog::level::level_enum spdlog_level(level level)
{
    return level == level::info   ? spdlog::level::info
           : level == level::warn ? spdlog::level::warn
                                  : spdlog::level::err;
}

} // namespace

void info(std::string_view message, fields fields) noexcept
{
    record(level::info, message, fields);
}
void warn(std::string_view message, fields fields) noexcept
{
    record(level::warn, message, fields);
}
void error(std::string_view message, fields fields) noexcept
{
    record(level::error, message, fields);
}

bool enabled(level level) noexcept
{
    const auto* out = current.load(std::memory_order_acquire);
    return !out || level >= out->least;
}

std::uint64_t dropped() noexcept
{
    const auto* out = current.load(std::memory_order_acquire);
    return out ? out->dropped() : 0;
}

struct writer::implementation : sink
{
    explicit implementation(const options& options)
        : format(options.format),
          thread(std::make_shared<spdlog::details::thread_pool>(options.queue, 1)),
          logger(std::make_shared<spdlog::async_logger>("heddle", open(options.file), thread,
                                                        spdlog::async_overflow_policy::overrun_oldest))
    {
        least = options.least;
        const char* pattern = format == format::json ? R"({"at":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                                                     : "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
        logger->set_formatter(
            std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc, "\n"));
        logger->flush_on(spdlog::level::info);
    }

    // The writer's thread ends first: the records it still holds own the logger too, and the last of them
    // must not let go of it while the members go.
    ~implementation() override { thread.reset(); }

    void take(level level, std::string_view message, fields fields) override
    {
        const auto line = format == format::json ? json_members(message, fields) : text_line(message, fields);
        logger->log(spdlog_level(level), spdlog::string_view_t(line.data(), line.size()));
    }

    std::uint64_t dropped() const override { return thread->overrun_counter(); }

    log::format format;
    std::shared_ptr<spdlog::details::thread_pool> thread;
    std::shared_ptr<spdlog::async_logger> logger;
};

writer::writer(const options& options) : implementation_(std::make_unique<implementation>(options))
{
    current.store(implementation_.get(), std::memory_order_release);
}

writer::~writer()
{
    current.store(nullptr, std::memory_order_release);
}

struct capture::implementation : sink
{
    void take(level level, std::string_view message, fields fields) override
    {
        const auto line = text_line(message, fields);
        const std::lock_guard lock(mutex);
        function(level, line);
    }

    std::function<void(log::level, std::string_view)> function;
    std::mutex mutex;
    sink* before = nullptr;
};

capture::capture(std::function<void(level, std::string_view)> take)
    : implementation_(std::make_unique<implementation>())
{
    implementation_->function = std::move(take);
    implementation_->before = current.exchange(implementation_.get(), std::memory_order_acq_rel);
}

capture::~capture()
{
    current.store(implementation_->before, std::memory_order_release);
}

} // namespace heddle::log
