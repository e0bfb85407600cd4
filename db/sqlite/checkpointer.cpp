// When a checkpoint is worth it, and what it may take.
#include "sqlite/checkpointer.hpp"

#include <heddle/base/log.hpp>
#include <heddle/fiber/offload.hpp>
#include <heddle/fiber/scope.hpp>

#include "failure.hpp"
#include "fiber/spawn.hpp"
#include "sqlite/writer.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace heddle::db::lite {

namespace {

constexpr std::int64_t worth_it = 4 * 1024 * 1024; // bytes that were added to the log since the last time
// For all of one checkpoint: it is nobody's request.
constexpr auto budget = std::chrono::seconds(10);

// So long it may keep the writer from its next transaction.
constexpr auto longest_stall = std::chrono::milliseconds(500);

sqlite_options impatient(sqlite_options options)
{
    options.lock_budget = std::min<fiber::duration>(options.lock_budget, longest_stall);
    return options;
}

void log_failure(const std::exception_ptr& failure, const std::string& path)
{
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& e) {
        log::warn("a checkpoint failed", {{"database", path}, {"cause", e.what()}});
    } catch (...) {
        log::warn("a checkpoint failed", {{"database", path}});
    }
}

} // namespace

checkpointer::checkpointer(sqlite_options options) : options_(impatient(std::move(options))) {}

void checkpointer::log_has(std::int64_t bytes, const std::shared_ptr<lite::writer>& writer)
{
    auto before = written_back_at_.load(std::memory_order_relaxed);
    if (bytes < before) // it has begun anew since
        written_back_at_.store(before = 0, std::memory_order_relaxed);
    if (bytes - before < worth_it || runs_.exchange(true))
        return;
    written_back_at_.store(bytes, std::memory_order_relaxed);
    const bool begin_anew = bytes > options_.log_limit / 2;
    // The commit that calls is done, and must not fail because of this.
    if (failure_of([&] {
            fiber::spawn("checkpoint", [self = shared_from_this(), writer, begin_anew] {
                const auto failure = failure_of([&] {
                    const fiber::shielded_scope own_time{budget};
                    self->run(begin_anew ? writer.get() : nullptr);
                });
                if (failure)
                    log_failure(failure, self->options_.path);
                self->runs_ = false;
            });
        }))
        runs_ = false;
}

void checkpointer::run(lite::writer* writer)
{
    if (!connection_)
        connection_ =
            fiber::offload([this] { return std::make_unique<lite::connection>(options_, access::write); });
    write_back(false);
    if (!writer)
        return;
    // Readers that follow each other without a gap have kept the log from beginning anew. Between two
    // transactions the writer waits for them, and for no longer than others can bear.
    const auto turn = writer->take_turn();
    write_back(true);
}

void checkpointer::write_back(bool begin_anew)
{
    fiber::offload([&] { connection_->write_log_back(begin_anew); });
}

} // namespace heddle::db::lite
