// What libpq allocates, with its end.
#pragma once

#include <libpq-fe.h>

#include <memory>

namespace heddle::db::pg {

struct deleter
{
    void operator()(PGconn* c) const noexcept { PQfinish(c); }
    void operator()(PGresult* r) const noexcept { PQclear(r); }
    void operator()(PGcancel* c) const noexcept { PQfreeCancel(c); }
    void operator()(PQconninfoOption* o) const noexcept { PQconninfoFree(o); }
};

using connection_handle = std::unique_ptr<PGconn, deleter>;
using result = std::unique_ptr<PGresult, deleter>; // empty: there are no more
using options_handle = std::unique_ptr<PQconninfoOption, deleter>;

} // namespace heddle::db::pg
