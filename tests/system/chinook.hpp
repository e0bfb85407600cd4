// The routes of a record shop over the Chinook database, one file a subject. They refer to the lane.
#pragma once

#include <heddle/db/database.hpp>
#include <heddle/http/router.hpp>

#include <cstdint>

namespace chinook {

namespace db = heddle::db;
namespace http = heddle::http;

// A part of a list that is ordered by a number: what comes after it, and how many of them.
struct page
{
    std::int64_t after; // 0: from the beginning
    std::int64_t limit;
};

// Of the query's `after` and `limit`. Throws: rejected (422) for a limit that nobody should ask for.
page page_of(const http::request& req);

// GET /customers?country=Brazil&after=10&limit=5 and GET /customers/{id}
void mount_customers(http::router& router, db::lane& reads);

// GET /invoices/{id}
void mount_invoices(http::router& router, db::lane& reads);

// GET /tracks?name=love&after=100&limit=20
void mount_tracks(http::router& router, db::lane& reads);

// GET /sales
void mount_sales(http::router& router, db::lane& reads);

} // namespace chinook
