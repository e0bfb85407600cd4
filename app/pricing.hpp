// The pricing service's stand-in: the same function as a client of the real one, answered in this process.
#pragma once

#include <heddle/http/words.hpp>

namespace orders {

// Answers GET /quotes/{sku}; 404 for what it does not sell.
heddle::http::handler built_in_pricing();

} // namespace orders
