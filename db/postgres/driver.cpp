// Opens sessions: the options, checked and completed, and the helpers that all connections share.
#include <heddle/db/error.hpp>
#include <heddle/db/postgres.hpp>

#include "postgres/connecting.hpp"
#include "postgres/connection.hpp"

#include <cstdlib>
#include <string>
#include <utility>

namespace heddle::db {

namespace pg {

namespace {

// So many may hang at once on a dead network; later ones wait, and nobody waits for them longer than he has
// time.
constexpr std::size_t cancel_threads = 8;
constexpr std::size_t look_up_threads = 2;

void complete(connect_parameters& parameters, const postgres_options& options)
{
    parameters.set_default("application_name", options.application_name);
    parameters.set_default("gssencmode",
                           "disable"); // a round trip to a ticket server, blocking, for each connection
    parameters.set_default("tcp_user_timeout", "10000"); // ms: PQcancel cannot be ended in any other way
    // A server that is gone without a word ends also those statements that have no deadline, after a minute.
    parameters.set_default("keepalives_idle", "30"); // s
    parameters.set_default("keepalives_interval", "10");
    parameters.set_default("keepalives_count", "3");
    parameters.set("client_encoding", "UTF8");
    const char* host = std::getenv("PGHOST"); // looked up here, so it is read here
    if (host && *host && !parameters.find("hostaddr") && !parameters.find("service"))
        parameters.set_default("host", host);
}

class server_driver final : public driver
{
public:
    explicit server_driver(postgres_options options)
        : options_(std::move(options)), parameters_(parse(options_.connection, wrong_))
    {
        complete(parameters_, options_);
        const auto* database = parameters_.find("dbname");
        name_ = "postgres" + (database ? ":" + *database : std::string());
    }

    std::unique_ptr<session> open(access) override
    {
        return std::make_unique<connection>(connect(parameters_, look_ups_), cancels_, options_);
    }

    bool writes_by_ticket() const noexcept override { return false; }
    bool keeps_sessions() const noexcept override { return !options_.transaction_pooling; }

    void check(std::vector<std::string>& wrong) const override
    {
        if (!wrong_.empty())
            wrong.push_back("postgres.connection cannot be read: " + wrong_);
        const std::pair<const char*, fiber::duration> budgets[] = {
            {"commit_budget", options_.commit_budget},
            {"stop_budget", options_.stop_budget},
            {"lock_budget", options_.lock_budget},
        };
        for (const auto& [name, budget] : budgets)
            if (budget <= fiber::duration::zero())
                wrong.push_back(std::string("postgres.") + name + " must be longer than zero");
        if (options_.statement_ceiling < fiber::duration::zero() ||
            options_.lost_after < fiber::duration::zero())
            wrong.push_back("postgres.statement_ceiling and postgres.lost_after must not be negative");
        if (options_.transaction_pooling && !options_.init_sql.empty())
            wrong.push_back(
                "postgres.init_sql needs a session, which there is none of with transaction_pooling");
        if (options_.statements < 1)
            wrong.push_back("postgres.statements is 0; it must be at least 1");
    }

    const std::string& name() const noexcept override { return name_; }

private:
    const postgres_options options_;
    std::string wrong_; // with the connection string; before what is read from it
    connect_parameters parameters_;
    std::string name_;
    helpers cancels_{cancel_threads};
    helpers look_ups_{look_up_threads};
};

} // namespace

} // namespace pg

std::shared_ptr<driver> postgres(postgres_options options)
{
    return std::make_shared<pg::server_driver>(std::move(options));
}

} // namespace heddle::db
