// Which numbers /metrics shows of each part, and under which names.
#pragma once

#include <heddle/base/metrics.hpp>
#include <heddle/db/database.hpp>
#include <heddle/http/server.hpp>

namespace app {

// The parts must outlive the page.
void add_families(heddle::metrics_page& page, const heddle::http::server& server);
void add_families(heddle::metrics_page& page, heddle::db::database& database);
void add_families_of_the_process(heddle::metrics_page& page);

} // namespace app
