// Adds up who may connect and holds it against each of the server's limits, line by line.
#include <heddle/db/capacity.hpp>

#include <boost/describe.hpp>

#include <algorithm>
#include <utility>

namespace heddle::db {

namespace {

struct limits_row
{
    std::int64_t max_connections;
    std::int64_t superuser_reserved;
    std::string role;
    bool is_superuser;
    std::int64_t role_limit;
    std::string database;
    std::int64_t database_limit;
    std::int64_t open_now;
};
BOOST_DESCRIBE_STRUCT(limits_row, (),
                      (max_connections, superuser_reserved, role, is_superuser, role_limit, database,
                       database_limit, open_now))

std::string times(std::int64_t count, const std::string& what, std::int64_t each)
{
    return std::to_string(count) + (count == 1 ? " instance x " : " instances x ") + std::to_string(each) +
           " " + what;
}

// Writes the lines and notes each limit that is too low.
class comparison
{
public:
    void line(const std::string& what, std::int64_t count, const std::string& remark = {})
    {
        constexpr std::size_t width = 52;
        auto text = what + std::string(width - std::min(width - 1, what.size()), ' ');
        const auto number = std::to_string(count);
        text += std::string(6 - std::min<std::size_t>(5, number.size()), ' ') + number;
        result_.lines.push_back(text + (remark.empty() ? "" : "   " + remark));
    }

    void limit(const std::string& what, std::int64_t limit, std::int64_t wanted)
    {
        if (wanted <= limit)
            return line(what, limit, std::to_string(limit - wanted) + " to spare");
        const auto missing = std::to_string(wanted - limit) + " too few for " + std::to_string(wanted);
        line(what, limit, missing);
        result_.is_enough = false;
        result_.shortage +=
            (result_.shortage.empty() ? "" : "; ") + what + ": " + std::to_string(limit) + ", " + missing;
    }

    capacity take() { return std::move(result_); }

private:
    capacity result_;
};

} // namespace

connection_limits read_connection_limits(lane& reads)
{
    auto row = reads.one<limits_row>(
        "SELECT current_setting('max_connections')::bigint AS max_connections, "
        "current_setting('superuser_reserved_connections')::bigint + "
        "coalesce(current_setting('reserved_connections', true), '0')::bigint AS superuser_reserved, "
        "r.rolname::text AS role, r.rolsuper AS is_superuser, r.rolconnlimit::bigint AS role_limit, "
        "d.datname::text AS database, d.datconnlimit::bigint AS database_limit, "
        "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS open_now "
        "FROM pg_roles r, pg_database d "
        "WHERE r.rolname = session_user AND d.datname = current_database()");
    return {.max_connections = row.max_connections,
            .superuser_reserved = row.superuser_reserved,
            .role = std::move(row.role),
            .is_superuser = row.is_superuser,
            .role_limit = row.role_limit,
            .database = std::move(row.database),
            .database_limit = row.database_limit,
            .open_now = row.open_now};
}

capacity compare(const connection_demand& demand, const connection_limits& limits)
{
    const auto pooled = demand.instances * demand.pool_size;
    const auto probes = demand.instances * demand.probes;
    const auto own = pooled + probes + demand.batch;
    const auto all = own + demand.operations + demand.others;

    comparison lines;
    lines.line(times(demand.instances, "pooled", demand.pool_size), pooled);
    lines.line(times(demand.instances, "for readiness", demand.probes), probes);
    lines.line("batch", demand.batch);
    lines.line("operations", demand.operations);
    lines.line("other clients", demand.others);
    lines.line("together", all);
    lines.line("max_connections", limits.max_connections);
    lines.line("of these reserved for superusers", limits.superuser_reserved);
    const auto usable = limits.max_connections - (limits.is_superuser ? 0 : limits.superuser_reserved);
    lines.limit(limits.is_superuser ? "usable (by a superuser: all)" : "usable", usable, all);
    if (limits.role_limit != no_limit && !limits.is_superuser)
        lines.limit("limit of role " + limits.role + " (instances, batch)", limits.role_limit, own);
    if (limits.database_limit != no_limit && !limits.is_superuser)
        lines.limit("limit of database " + limits.database + " (all but other clients)",
                    limits.database_limit, own + demand.operations);
    lines.line("open now", limits.open_now);
    return lines.take();
}

} // namespace heddle::db
