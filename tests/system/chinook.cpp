// A second application: its own handler over a database that nobody here made. Usage: chinook FILE PORT
#include <heddle/db/database.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/http/exact.hpp>
#include <heddle/http/message.hpp>
#include <heddle/http/router.hpp>
#include <heddle/http/server.hpp>

#include <boost/describe.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace db = heddle::db;
namespace http = heddle::http;

namespace {

struct invoice_line
{
    std::int64_t line_id;
    std::string track;
    std::optional<std::string> composer;
    double unit_price;
    std::int32_t quantity;
};
BOOST_DESCRIBE_STRUCT(invoice_line, (), (line_id, track, composer, unit_price, quantity))

struct invoice_head
{
    std::int64_t invoice_id;
    std::string customer;
    std::string date; // as the database has it: YYYY-MM-DD HH:MM:SS
    std::optional<std::string> city;
    std::optional<std::string> state;
    double total;
};
BOOST_DESCRIBE_STRUCT(invoice_head, (), (invoice_id, customer, date, city, state, total))

struct invoice
{
    invoice_head head;
    std::vector<invoice_line> lines;
};
BOOST_DESCRIBE_STRUCT(invoice, (), (head, lines))

// Both statements see the same state of the database: one read, not two.
http::result<invoice> show(db::lane& reads, const http::request& req)
{
    const auto id = req.path<std::int64_t>("id");

    auto found = reads.read([&](db::transaction& tx) -> std::optional<invoice> {
        auto head = tx.find<invoice_head>(
            "SELECT InvoiceId AS invoice_id, FirstName || ' ' || LastName AS customer, InvoiceDate AS date, "
            "BillingCity AS city, BillingState AS state, Total AS total "
            "FROM Invoice JOIN Customer USING (CustomerId) WHERE InvoiceId = $1",
            id);
        if (!head)
            return std::nullopt;
        auto lines =
            tx.query<invoice_line>("SELECT InvoiceLineId AS line_id, Name AS track, Composer AS composer, "
                                   "InvoiceLine.UnitPrice AS unit_price, Quantity AS quantity "
                                   "FROM InvoiceLine JOIN Track USING (TrackId) WHERE InvoiceId = $1 "
                                   "ORDER BY InvoiceLineId",
                                   id);
        return invoice{*std::move(head), std::move(lines)};
    });
    if (!found)
        return http::problem::not_found("there is no invoice " + std::to_string(id));
    return *std::move(found);
}

} // namespace

int main(int argc, char** argv)
{
    const auto port = argc == 3 ? http::exact<std::uint16_t>(argv[2]) : std::nullopt;
    if (!port) {
        std::cerr << "usage: chinook FILE PORT\n";
        return EXIT_FAILURE;
    }
    return heddle::fiber::run({.workers = 2}, [&] {
        db::database database{{
            .driver = db::sqlite({.path = argv[1]}),
            .pool = {.size = 4},
            .lanes = {{.name = "read", .running = 4, .waiting = 64}},
        }};
        auto& reads = database.lane("read");
        http::router router;
        router.get("/invoices/{id}", [&reads](const http::request& req) { return show(reads, req); });
        http::server server{{.listen = {"127.0.0.1", *port}}, router};
        server.serve();
    });
}
