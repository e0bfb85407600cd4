#include "descriptors.hpp"

#include <heddle/base/log.hpp>

#include <string>

#include <sys/resource.h>

namespace app {

void allow_descriptors(std::int64_t wanted)
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    if (limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
        ::getrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur < static_cast<rlim_t>(wanted))
        heddle::log::warn(
            "fewer descriptors than connections are allowed: raise the limit or lower http.max_connections",
            {{"limit", std::to_string(limit.rlim_cur)}, {"wanted", std::to_string(wanted)}});
}

} // namespace app
