// Reads a connection string, and takes libpq through its hand-shakes without blocking a worker.
#include "postgres/connecting.hpp"

#include <heddle/db/error.hpp>
#include <heddle/fiber/offload.hpp>
#include <heddle/fiber/scope.hpp>

#include "postgres/addresses.hpp"
#include "postgres/errors.hpp"
#include "postgres/socket_watch.hpp"

#include <algorithm>
#include <new>

namespace heddle::db::pg {

namespace {

connection_handle start(const connect_parameters& parameters)
{
    std::vector<const char*> keywords;
    std::vector<const char*> values;
    for (const auto& one : parameters.keywords)
        keywords.push_back(one.c_str());
    for (const auto& one : parameters.values)
        values.push_back(one.c_str());
    keywords.push_back(nullptr);
    values.push_back(nullptr);
    // On a helper thread: with service=... the names of hosts are known, and looked up, only in here.
    connection_handle started{
        fiber::offload([&] { return PQconnectStartParams(keywords.data(), values.data(), 0); })};
    if (!started)
        throw std::bad_alloc();
    return started;
}

} // namespace

const std::string* connect_parameters::find(const std::string& keyword) const noexcept
{
    const auto found = std::find(keywords.begin(), keywords.end(), keyword);
    return found == keywords.end() ? nullptr : &values[static_cast<std::size_t>(found - keywords.begin())];
}

void connect_parameters::set(const std::string& keyword, std::string value)
{
    const auto found = std::find(keywords.begin(), keywords.end(), keyword);
    if (found != keywords.end()) {
        values[static_cast<std::size_t>(found - keywords.begin())] = std::move(value);
        return;
    }
    keywords.push_back(keyword);
    values.push_back(std::move(value));
}

void connect_parameters::set_default(const std::string& keyword, std::string value)
{
    if (!find(keyword))
        set(keyword, std::move(value));
}

connect_parameters parse(const std::string& connection, std::string& wrong)
{
    char* message = nullptr;
    const options_handle options{PQconninfoParse(connection.c_str(), &message)};
    if (!options) {
        wrong = message ? message : "out of memory";
        PQfreemem(message);
        return {};
    }
    connect_parameters result;
    for (const auto* option = options.get(); option->keyword; ++option)
        if (option->val && *option->val)
            result.set(option->keyword, option->val);
    return result;
}

connection_handle connect(connect_parameters parameters, helpers& look_ups)
{
    add_addresses(parameters, look_ups);
    auto connection = start(parameters);
    auto state = PQstatus(connection.get()) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
    while (state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING) {
        // Anew each time: libpq may have gone on to another socket.
        socket_watch watch{PQsocket(connection.get())};
        fiber::check(
            watch.wait(state == PGRES_POLLING_READING ? fiber::direction::read : fiber::direction::write));
        state = fiber::offload([&] { return PQconnectPoll(connection.get()); });
    }
    if (state != PGRES_POLLING_OK)
        throw error(kind::unavailable, "PostgreSQL cannot be connected to: " + reason_of(connection.get()));
    return connection;
}

} // namespace heddle::db::pg
