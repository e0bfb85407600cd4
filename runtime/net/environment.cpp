#include "net/environment.hpp"

#include <heddle/base/error.hpp>

#include <charconv>
#include <cstdlib>

namespace heddle::net {

std::optional<std::string> taken_from_environment(const char* name)
{
    const char* const value = std::getenv(name);
    if (!value)
        return std::nullopt;
    std::string text = value;
    ::unsetenv(name);
    return text;
}

std::int64_t number_of(const char* name, const std::string& text)
{
    std::int64_t number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, failure] = std::from_chars(text.data(), last, number);
    if (failure != std::errc() || end != last || number < 0)
        throw config_error(std::string(name) + ": \"" + text + "\" is no number");
    return number;
}

} // namespace heddle::net
