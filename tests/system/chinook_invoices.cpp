// An invoice with its lines: both statements see the same state of the database, as one read runs them.
#include "chinook.hpp"

#include <boost/describe.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace chinook {

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
    std::string date; // YYYY-MM-DD HH:MM:SS
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

constexpr db::sql head_of_one{
    .sqlite = R"(
    SELECT InvoiceId AS invoice_id, FirstName || ' ' || LastName AS customer, InvoiceDate AS date,
           BillingCity AS city, BillingState AS state, Total AS total
    FROM Invoice JOIN Customer USING (CustomerId) WHERE InvoiceId = $1)",
    .postgres = R"(
    SELECT invoice_id, first_name || ' ' || last_name AS customer,
           to_char(invoice_date, 'YYYY-MM-DD HH24:MI:SS') AS date,
           billing_city AS city, billing_state AS state, total
    FROM invoice JOIN customer USING (customer_id) WHERE invoice_id = $1)",
};

constexpr db::sql lines_of_one{
    .sqlite = R"(
    SELECT InvoiceLineId AS line_id, Name AS track, Composer AS composer,
           InvoiceLine.UnitPrice AS unit_price, Quantity AS quantity
    FROM InvoiceLine JOIN Track USING (TrackId) WHERE InvoiceId = $1 ORDER BY InvoiceLineId)",
    .postgres = R"(
    SELECT invoice_line_id AS line_id, name AS track, composer, invoice_line.unit_price, quantity
    FROM invoice_line JOIN track USING (track_id) WHERE invoice_id = $1 ORDER BY invoice_line_id)",
};

http::result<invoice> show_invoice(db::lane& reads, const http::request& req)
{
    const auto id = req.path<std::int64_t>("id");

    auto found = reads.read([&](db::transaction& tx) -> std::optional<invoice> {
        auto head = tx.find<invoice_head>(head_of_one, id);
        if (!head)
            return std::nullopt;
        return invoice{*std::move(head), tx.query<invoice_line>(lines_of_one, id)};
    });
    if (!found)
        return http::problem::not_found("there is no invoice " + std::to_string(id));
    return *std::move(found);
}

} // namespace

void mount_invoices(http::router& router, db::lane& reads)
{
    router.get("/invoices/{id}", [&reads](const http::request& req) { return show_invoice(reads, req); });
}

} // namespace chinook
