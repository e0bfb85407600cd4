// A reader's transactions are its connection's; one statement alone needs none.
#include "sqlite/reader.hpp"

#include <heddle/fiber/offload.hpp>

namespace heddle::db::lite {

void reader::begin(const begin_options& options)
{
    if (!connection_->has_begun())
        lock_wait_before_ = connection_->watch().lock_wait();
    one_statement_ = options.one_statement;
    if (!one_statement_)
        connection_->begin();
}

void reader::commit()
{
    if (one_statement_)
        reset();
    else
        connection_->commit();
}

void reader::rollback()
{
    if (one_statement_)
        reset();
    else
        connection_->rollback();
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
    one_statement_ = false;
    connection_->watch().end();
}

void reader::close()
{
    fiber::offload([this] { connection_.reset(); });
}

} // namespace heddle::db::lite
