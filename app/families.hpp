// Which numbers /metrics shows of each part, and under which names.
#pragma once

#include <heddle/base/metrics.hpp>
#include <heddle/db/database.hpp>
#include <heddle/http/client.hpp>
#include <heddle/http/server.hpp>

#include <string>

namespace app {

// The parts must outlive the page.
void add_families(heddle::metrics_page& page, const heddle::http::server& server);
void add_families(heddle::metrics_page& page, heddle::db::database& database);
// `upstream`: what the client is for.
void add_families(heddle::metrics_page& page, const heddle::http::client& client,
                  const std::string& upstream);
void add_families_of_the_process(heddle::metrics_page& page);

} // namespace app
