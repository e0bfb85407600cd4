// Prepared statements of one connection, found by their text. Bounded: the one not used for longest goes
// first.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace heddle::db {

// Statement has text(), which does not change, and is_open(): an open one is never dropped.
template <class Statement>
class statement_cache
{
public:
    explicit statement_cache(std::size_t capacity) : capacity_(capacity) {}

    // nullptr if it is not here. What is found counts as used now.
    Statement* find(std::string_view text)
    {
        const auto found = by_text_.find(text);
        if (found == by_text_.end())
            return nullptr;
        by_use_.splice(by_use_.begin(), by_use_, found->second);
        return found->second->get();
    }

    // Nothing with its text may be here.
    Statement& insert(std::unique_ptr<Statement> statement)
    {
        by_use_.push_front(std::move(statement));
        by_text_.emplace(by_use_.front()->text(), by_use_.begin());
        drop_oldest();
        return *by_use_.front();
    }

    std::size_t size() const noexcept { return by_use_.size(); }

    template <class F>
    void for_each(F&& f)
    {
        for (auto& statement : by_use_)
            f(*statement);
    }

    void clear() noexcept
    {
        by_text_.clear();
        by_use_.clear();
    }

private:
    using statements = std::list<std::unique_ptr<Statement>>;

    void drop_oldest()
    {
        auto oldest = by_use_.end();
        while (by_use_.size() > capacity_ && --oldest != by_use_.begin()) {
            if ((*oldest)->is_open())
                continue;
            by_text_.erase((*oldest)->text());
            oldest = by_use_.erase(oldest);
        }
    }

    std::size_t capacity_;
    statements by_use_; // most recently used first
    std::unordered_map<std::string_view, typename statements::iterator>
        by_text_; // the keys lie in the statements
};

} // namespace heddle::db
