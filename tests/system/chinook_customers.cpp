// Customers: a list with pages, and one with all that was ever bought.
#include "chinook.hpp"

#include <boost/describe.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace chinook {

namespace {

struct customer
{
    std::int64_t customer_id;
    std::string name;
    std::optional<std::string> company;
    std::optional<std::string> city;
    std::optional<std::string> country;
    std::optional<std::string> postal_code;
    std::optional<std::string> phone;
    std::string email;
    std::optional<std::string> representative;
};
BOOST_DESCRIBE_STRUCT(customer, (),
                      (customer_id, name, company, city, country, postal_code, phone, email, representative))

struct bought
{
    std::int64_t invoice_id;
    std::string date; // YYYY-MM-DD HH:MM:SS
    double total;
};
BOOST_DESCRIBE_STRUCT(bought, (), (invoice_id, date, total))

struct account
{
    customer head;
    std::vector<bought> invoices; // oldest first
};
BOOST_DESCRIBE_STRUCT(account, (), (head, invoices))

constexpr db::sql customers_of_a_country{
    .sqlite = R"(
    SELECT CustomerId AS customer_id, Customer.FirstName || ' ' || Customer.LastName AS name,
           Company AS company, Customer.City AS city, Customer.Country AS country,
           Customer.PostalCode AS postal_code, Customer.Phone AS phone, Customer.Email AS email,
           Employee.FirstName || ' ' || Employee.LastName AS representative
    FROM Customer LEFT JOIN Employee ON EmployeeId = SupportRepId
    WHERE ($1 IS NULL OR Customer.Country = $1) AND CustomerId > $2 ORDER BY CustomerId LIMIT $3)",
    .postgres = R"(
    SELECT customer_id, customer.first_name || ' ' || customer.last_name AS name, company, customer.city,
           customer.country, customer.postal_code, customer.phone, customer.email,
           employee.first_name || ' ' || employee.last_name AS representative
    FROM customer LEFT JOIN employee ON employee_id = support_rep_id
    WHERE (CAST($1 AS TEXT) IS NULL OR customer.country = $1) AND customer_id > $2
    ORDER BY customer_id LIMIT $3)",
};

constexpr db::sql one_customer{
    .sqlite = R"(
    SELECT CustomerId AS customer_id, Customer.FirstName || ' ' || Customer.LastName AS name,
           Company AS company, Customer.City AS city, Customer.Country AS country,
           Customer.PostalCode AS postal_code, Customer.Phone AS phone, Customer.Email AS email,
           Employee.FirstName || ' ' || Employee.LastName AS representative
    FROM Customer LEFT JOIN Employee ON EmployeeId = SupportRepId WHERE CustomerId = $1)",
    .postgres = R"(
    SELECT customer_id, customer.first_name || ' ' || customer.last_name AS name, company, customer.city,
           customer.country, customer.postal_code, customer.phone, customer.email,
           employee.first_name || ' ' || employee.last_name AS representative
    FROM customer LEFT JOIN employee ON employee_id = support_rep_id WHERE customer_id = $1)",
};

constexpr db::sql invoices_of_one{
    .sqlite = R"(
    SELECT InvoiceId AS invoice_id, InvoiceDate AS date, Total AS total
    FROM Invoice WHERE CustomerId = $1 ORDER BY InvoiceDate, InvoiceId)",
    .postgres = R"(
    SELECT invoice_id, to_char(invoice_date, 'YYYY-MM-DD HH24:MI:SS') AS date, total
    FROM invoice WHERE customer_id = $1 ORDER BY invoice_date, invoice_id)",
};

std::vector<customer> list_customers(db::lane& reads, const http::request& req)
{
    const auto country = req.query<std::string>("country");
    const auto wanted = page_of(req);

    return reads.query<customer>(customers_of_a_country, country, wanted.after, wanted.limit);
}

http::result<account> show_customer(db::lane& reads, const http::request& req)
{
    const auto id = req.path<std::int64_t>("id");

    auto found = reads.read([&](db::transaction& tx) -> std::optional<account> {
        auto head = tx.find<customer>(one_customer, id);
        if (!head)
            return std::nullopt;
        return account{*std::move(head), tx.query<bought>(invoices_of_one, id)};
    });
    if (!found)
        return http::problem::not_found("there is no customer " + std::to_string(id));
    return *std::move(found);
}

} // namespace

void mount_customers(http::router& router, db::lane& reads)
{
    router.get("/customers", [&reads](const http::request& req) { return list_customers(reads, req); });
    router.get("/customers/{id}", [&reads](const http::request& req) { return show_customer(reads, req); });
}

} // namespace chinook
