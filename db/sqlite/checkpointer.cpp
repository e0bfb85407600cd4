// When a checkpoint is worth it, and what it may take.
#include "sqlite/checkpointer.hpp"

#include <heddle/base/log.hpp>
#include <heddle/db/error.hpp>
#include <heddle/fiber/offload.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>

#include "failure.hpp"
#include "fiber/spawn.hpp"
#include "sqlite/writer.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

namespace heddle::db::lite {

namespace {

// For one checkpoint: it is nobody's request.
constexpr auto budget = std::chrono::seconds(10);

// So long it may keep new readers, and then the writer, from their next transaction; and so old may readers
// be that are worth it.
constexpr auto longest_stall = std::chrono::milliseconds(750);
// And so long the writer waits for the readers of other processes, who cannot be asked to wait.
constexpr auto patience = std::chrono::milliseconds(50);
constexpr auto between_attempts = std::chrono::milliseconds(100);

// Bytes that must have been added to the log since it was last written back.
std::int64_t worth_it(const sqlite_options& options)
{
    return std::min<std::int64_t>(4 * 1024 * 1024, options.log_limit / 4);
}

sqlite_options impatient(sqlite_options options)
{
    options.lock_budget = std::min<fiber::duration>(options.lock_budget, patience);
    return options;
}

void log_failure(const std::exception_ptr& failure, const std::string& path)
{
    try {
        std::rethrow_exception(failure);
    } catch (const cancelled&) { // the runtime ends: whoever opens the file next goes on
    } catch (const std::exception& e) {
        log::warn("a checkpoint failed", {{"database", path}, {"cause", e.what()}});
    } catch (...) {
        log::warn("a checkpoint failed", {{"database", path}});
    }
}

} // namespace

checkpointer::checkpointer(sqlite_options options, std::shared_ptr<fiber::semaphore> readers)
    : options_(impatient(std::move(options))), readers_(std::move(readers))
{
}

void checkpointer::wait_for_room(fiber::duration limit, const std::shared_ptr<lite::writer>& writer)
{
    start(writer);
    std::unique_lock lock(room_mutex_);
    if (!room_.wait_for(lock, limit, [this] { return has_room(); }))
        throw error(kind::unavailable,
                    "the write-ahead log is as long as it may get: a reader needs an old state");
}

bool checkpointer::may_begin_log() noexcept
{
    const auto now = checkpoints_.load();
    return std::exchange(checkpoints_seen_, now) != now || now % 2 != 0;
}

void checkpointer::log_has(std::int64_t bytes, const std::shared_ptr<lite::writer>& writer) noexcept
{
    log_bytes_ = bytes;
    if (bytes < written_back_at_) // it has begun anew since
        written_back_at_ = 0;
    if (is_long() || bytes - written_back_at_ >= worth_it(options_))
        start(writer);
}

void checkpointer::start(const std::shared_ptr<lite::writer>& writer) noexcept
{
    if (runs_.exchange(true))
        return;
    // The commit that calls is done, and must not fail because of this.
    if (failure_of([&] {
            fiber::spawn("checkpoint", [self = shared_from_this(), writer] {
                const auto failure = failure_of([&] { self->run(*writer); });
                self->runs_ = false;
                if (failure)
                    log_failure(failure, self->options_.path);
                else if (self->is_long()) // since it was last looked at
                    self->start(writer);
            });
        }))
        runs_ = false;
}

void checkpointer::run(lite::writer& writer)
{
    write_back();
    std::int64_t before = log_bytes_;
    auto since = fiber::now();
    while (is_long()) {
        const auto copied = write_back();
        // Copied is what no reader's state is older than. When that is more than there was a moment ago, no
        // reader is left from then: those there are will soon be gone, and to hold back new ones is worth it.
        // An older one would only make everybody wait for nothing.
        if (copied > before)
            begin_anew(writer);
        else if (copied >= log_bytes_) // nothing is being written: new readers read from the file
            empty_log(writer, fiber::after(patience));
        if (fiber::now() - since > longest_stall) {
            before = log_bytes_;
            since = fiber::now();
        }
        fiber::sleep_for(between_attempts);
    }
}

// Off the workers, and so that may_begin_log() knows.
template <class F>
auto checkpointer::checkpoint(F&& f)
{
    struct running
    {
        explicit running(std::atomic<std::uint32_t>& n) : n_(n) { ++n_; }
        ~running() { ++n_; }
        std::atomic<std::uint32_t>& n_;
    } const now{checkpoints_};
    return fiber::offload(f);
}

void checkpointer::open()
{
    if (!connection_)
        connection_ =
            fiber::offload([this] { return std::make_unique<lite::connection>(options_, access::write); });
}

// As far as readers allow, and in nobody's way. Returns how many bytes of the log the file has now.
std::int64_t checkpointer::write_back()
{
    const fiber::shielded_scope own_time{budget};
    open();
    const std::int64_t bytes = log_bytes_;
    written_back_at_ = bytes;
    const auto copied = checkpoint([&] { return connection_->write_log_back(); });
    if (copied < bytes) // somebody was in the way, perhaps for a moment only
        written_back_at_ = bytes - worth_it(options_) + worth_it(options_) / 8;
    return copied;
}

// Readers that follow each other without a gap keep the log from beginning anew: new ones wait until those
// there are have gone, and then the writer does, for as long as it takes to copy the rest.
void checkpointer::begin_anew(lite::writer& writer)
{
    const fiber::shielded_scope own_time{budget};
    const auto until = fiber::after(longest_stall);
    const auto readers = readers_->try_acquire_for(longest_stall, readers_->capacity());
    if (readers)
        empty_log(writer, until);
}

void checkpointer::empty_log(lite::writer& writer, fiber::time_point until)
{
    const fiber::shielded_scope own_time{budget};
    const auto turn = writer.try_take_turn_for(until - fiber::now());
    if (!turn || !checkpoint([&] { return connection_->empty_log(); }))
        return;
    const std::lock_guard lock(room_mutex_);
    log_bytes_ = 0;
    room_.notify_all();
}

} // namespace heddle::db::lite
