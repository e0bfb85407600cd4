// What a database says when it refuses. The kind decides about the answer; the code is for those who know the
// database.
#pragma once

#include <heddle/base/error.hpp>

#include <string>

namespace heddle::db {

class error : public heddle::error
{
public:
    error(heddle::kind kind, const std::string& what, std::string code = {})
        : heddle::error(kind, what), code_(std::move(code))
    {
    }

    // SQLite's extended result code in decimal, or an SQLSTATE; empty if the database was not asked.
    const std::string& code() const noexcept { return code_; }

private:
    std::string code_;
};

// COMMIT was sent and what became of it cannot be known. Never retried for the caller.
class commit_unknown : public error
{
public:
    explicit commit_unknown(const std::string& what, std::string code = {})
        : error(heddle::kind::outcome_unknown, what, std::move(code))
    {
    }
};

// A transaction that was rolled back has seen what others had done, and that was then undone before it was
// committed: whatever it concluded from it stands on nothing. It has written nothing itself.
class read_undone : public error
{
public:
    read_undone()
        : error(heddle::kind::unavailable, "what the transaction has read of others was not committed")
    {
    }
};

// The transaction was used after it had been committed or rolled back, by its body or by the database itself.
class transaction_done : public error
{
public:
    explicit transaction_done(const std::string& what) : error(heddle::kind::internal, what) {}
};

// The rows are not what the program expects: a column is missing, of another type, NULL, or there are too
// many rows.
class row_error : public error
{
public:
    explicit row_error(const std::string& what) : error(heddle::kind::internal, what) {}
};

} // namespace heddle::db
