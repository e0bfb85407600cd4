// The order routes' handlers that write: placing an order, and taking it to its next state.
#include "orders.hpp"

#include <heddle/fiber/scope.hpp>
#include <heddle/fiber/task_group.hpp>
#include <heddle/http/escape.hpp>
#include <heddle/idempotent/idempotent.hpp>

#include "order_state.hpp"

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace orders {

using namespace std::chrono_literals;
namespace fiber = heddle::fiber;

namespace {

constexpr std::size_t most_items = 20;

// Throws: rejected.
std::vector<wanted_item> items_of(new_order&& wanted)
{
    if (wanted.items) {
        if (wanted.sku || wanted.quantity)
            throw http::rejected(
                http::problem::invalid("/items", "is given beside sku or quantity: send one of them"));
        return *std::move(wanted.items);
    }
    if (!wanted.sku)
        throw http::bad_request("/sku", "is missing, and so is items");
    if (!wanted.quantity)
        throw http::bad_request("/quantity", "is missing");
    return {{*std::move(wanted.sku), *wanted.quantity}};
}

// Where an item stands in the body. `of_one_article`: they were not sent as a list.
std::string pointer_to(std::size_t item, bool of_one_article)
{
    return of_one_article ? std::string() : "/items/" + std::to_string(item);
}

std::vector<http::problem::fault> faults_of(const std::vector<wanted_item>& items, bool of_one_article)
{
    if (items.empty() || items.size() > most_items)
        return {{"/items", "must have 1 to " + std::to_string(most_items) + " elements"}};

    std::vector<http::problem::fault> faults;
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto here = pointer_to(i, of_one_article);
        if (items[i].quantity < 1)
            faults.push_back({here + "/quantity", "must be at least 1"});
        if (!seen.insert(items[i].sku).second)
            faults.push_back({here + "/sku", "is there twice"});
    }
    return faults;
}

// Throws: rejected, naming the articles that nobody sells.
std::vector<quote> known(std::vector<std::optional<quote>>&& found, bool of_one_article)
{
    std::vector<quote> quotes;
    std::vector<http::problem::fault> faults;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i])
            quotes.push_back(*std::move(found[i]));
        else
            faults.push_back({pointer_to(i, of_one_article) + "/sku", "is no article that is sold"});
    }
    if (!faults.empty())
        throw http::rejected(http::problem::invalid(std::move(faults)));
    return quotes;
}

// Nothing if it cannot be represented.
std::optional<std::int64_t> total_of(const std::vector<wanted_item>& items, const std::vector<quote>& prices)
{
    std::int64_t total = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        std::int64_t line = 0;
        if (__builtin_mul_overflow(items[i].quantity, prices[i].unit_price_cents, &line) ||
            __builtin_add_overflow(total, line, &total))
            return std::nullopt;
    }
    return total;
}

void note(db::transaction& tx, std::int64_t order, std::string_view what)
{
    tx.run("INSERT INTO order_events (order_id, note) VALUES ($1, $2)", order, what);
}

http::created<order> insert(db::transaction& tx, const priced_order& wanted)
{
    auto row = tx.one<order>("INSERT INTO orders (customer_id, state, total_cents) "
                             "VALUES ($1, 'placed', $2) "
                             "RETURNING id, customer_id, state, total_cents, placed_at",
                             wanted.customer_id, wanted.total_cents);
    for (std::size_t i = 0; i < wanted.items.size(); ++i)
        tx.run("INSERT INTO order_items (order_id, sku, quantity, unit_price_cents) "
               "VALUES ($1, $2, $3, $4)",
               row.id, wanted.items[i].sku, wanted.items[i].quantity, wanted.prices[i].unit_price_cents);
    note(tx, row.id, "placed");
    return {"/orders/" + std::to_string(row.id), std::move(row)};
}

http::problem wrong_step(const order& now, const std::string& wanted)
{
    const auto next = next_states(now.state);
    return http::problem::conflict("order " + std::to_string(now.id) + " is " + now.state +
                                   " and cannot become " + wanted +
                                   (next.empty() ? "; it stays as it is" : "; it can become " + next));
}

} // namespace

// POST /orders: prices first, write last. The remote calls are over before the write permit and the
// connection are taken, and both are held for a few statements only. Of an order that was placed already
// nothing is asked again: what it has taken from the stock would refuse it now.
http::response routes::place(const http::request& req) const
{
    if (auto earlier = http::earlier_answer(req, reads_))
        return *std::move(earlier);

    const auto wanted = priced(req);
    if (!wanted)
        return http::reply(wanted.problem());
    return http::idempotent(req, writes_, [&](db::transaction& tx) { return insert(tx, wanted.value()); });
}

http::result<priced_order> routes::priced(const http::request& req) const
{
    auto wanted = req.json<new_order>();
    const auto customer = wanted.customer_id;
    const bool of_one_article = !wanted.items;
    auto items = items_of(std::move(wanted));
    if (auto faults = faults_of(items, of_one_article); !faults.empty())
        return http::problem::invalid(std::move(faults));

    auto prices = known(fiber::within(300ms, [&] { return quotes_for(items); }), of_one_article);
    for (std::size_t i = 0; i < items.size(); ++i)
        if (prices[i].available < items[i].quantity)
            return http::problem::conflict("only " + std::to_string(prices[i].available) + " left of " +
                                           items[i].sku);
    const auto total = total_of(items, prices);
    if (!total)
        return http::problem::invalid(of_one_article ? "/quantity" : "/items",
                                      "the total cannot be represented");
    return priced_order{customer, std::move(items), std::move(prices), *total};
}

// Asks for all of them side by side. Nothing for an article that the other service does not know: our
// client's mistake, and not that service's failure.
std::vector<std::optional<quote>> routes::quotes_for(const std::vector<wanted_item>& items) const
{
    std::vector<std::optional<quote>> quotes(items.size());
    fiber::task_group::run([&](fiber::task_group& tasks) {
        for (std::size_t i = 0; i < items.size(); ++i)
            tasks.start([&, i] {
                const auto answer = pricing_(http::get("/quotes/" + http::escape(items[i].sku)));
                if (answer.status() != http::status::not_found)
                    quotes[i] = http::expect<quote>(answer);
            });
    });
    return quotes;
}

// PATCH /orders/{id}: one step. Of two that want the same one, one takes it: the transactions are
// serializable, so the other sees the state that the first has left; where the database finds that out at
// the end only, it is done again.
http::result<order> routes::advance(const http::request& req) const
{
    const auto id = req.path<std::int64_t>("id");
    const auto wanted = req.json<step>().state;
    if (!is_state(wanted))
        return http::problem::invalid("/state", "must be " + all_states());

    bool taken = false;
    const db::transaction_options one_after_the_other{.isolation = db::isolation::serializable, .retries = 3};
    auto found = writes_.transaction(one_after_the_other, [&](db::transaction& tx) {
        auto now = tx.find<order>(
            "SELECT id, customer_id, state, total_cents, placed_at FROM orders WHERE id = $1", id);
        taken = now && may_become(now->state, wanted);
        if (taken) {
            tx.run("UPDATE orders SET state = $1 WHERE id = $2", wanted, id);
            note(tx, id, wanted);
        }
        return now;
    });
    if (!found)
        return http::problem::not_found("there is no order " + std::to_string(id));
    if (!taken)
        return wrong_step(*found, wanted);
    found->state = wanted;
    return *std::move(found);
}

} // namespace orders
