// A reader's transactions are its connection's; one statement alone needs none.
#include "sqlite/reader.hpp"

#include <heddle/fiber/offload.hpp>

#include "failure.hpp"

#include <exception>

namespace heddle::db::lite {

void reader::begin(const begin_options& options)
{
    if (place_)
        connection_->begin();
    else
        begin_outermost(options);
}

// New readers wait while the log is about to begin anew.
void reader::begin_outermost(const begin_options& options)
{
    const auto came = fiber::now();
    auto place = readers_->acquire();
    lock_wait_before_ = connection_->watch().lock_wait() - (fiber::now() - came);
    stand_alone_ = options.stand_alone;
    if (!stand_alone_)
        connection_->begin();
    place_ = std::move(place);
}

void reader::commit()
{
    if (!stand_alone_)
        connection_->commit();
    if (!connection_->has_begun())
        end_outermost();
}

void reader::rollback()
{
    const auto failure = failure_of([&] {
        if (!stand_alone_)
            connection_->rollback();
    });
    if (!connection_->has_begun())
        end_outermost();
    if (failure)
        std::rethrow_exception(failure);
}

open_cursor reader::execute(std::string_view sql, std::span<const value> parameters)
{
    return connection_->execute(sql, parameters);
}

void reader::script(std::string_view sql)
{
    connection_->script(sql);
}

void reader::ping()
{
    const auto rows = connection_->execute("SELECT 1", {});
    while (rows->next()) {
    }
}

void reader::reset()
{
    connection_->watch().end();
}

void reader::end_outermost() noexcept
{
    stand_alone_ = false;
    place_.release();
}

void reader::close()
{
    fiber::offload([this] { connection_.reset(); });
}

} // namespace heddle::db::lite
