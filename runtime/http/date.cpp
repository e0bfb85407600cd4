#include "http/date.hpp"

#include <cstdio>

namespace heddle::http {

namespace {

struct cached_line
{
    std::time_t second = -1;
    std::string line;
};

thread_local cached_line cache;

} // namespace

std::string format_date(std::time_t at)
{
    static constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                             "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::tm t{};
    ::gmtime_r(&at, &t); // not strftime: a locale would change the names
    char text[64];
    const int size =
        std::snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[t.tm_wday], t.tm_mday,
                      months[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
    return {text, static_cast<std::size_t>(size)};
}

// Not inline: the fiber may have moved since the last call, so the thread's cache must be found anew.
[[gnu::noinline]] void append_date(std::string& out)
{
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (cache.second != now.tv_sec) {
        cache.line = "Date: " + format_date(now.tv_sec) + "\r\n";
        cache.second = now.tv_sec;
    }
    out += cache.line;
}

} // namespace heddle::http
