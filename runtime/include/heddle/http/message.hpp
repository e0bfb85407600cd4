// One request and one response, as values. The wire fills and sends them; handlers, middleware and tests see
// only these.
#pragma once

#include <heddle/http/escape.hpp>
#include <heddle/http/form.hpp>
#include <heddle/http/request.hpp>
#include <heddle/http/response.hpp>
#include <heddle/http/words.hpp>

