// A whole service: notes, kept in an SQLite file. Usage: notes [PORT]
#include <heddle/db/database.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/http/router.hpp>
#include <heddle/http/server.hpp>

#include <boost/describe.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace db = heddle::db;
namespace http = heddle::http;

struct new_note
{
    std::string text;
};
BOOST_DESCRIBE_STRUCT(new_note, (), (text))

struct note
{
    std::int64_t id;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(note, (), (id, text))

http::created<note> write_note(db::lane& lane, const http::request& req)
{
    const auto wanted = req.json<new_note>();

    auto written = lane.transaction([&](db::transaction& tx) {
        return tx.one<note>("INSERT INTO notes (text) VALUES ($1) RETURNING id, text", wanted.text);
    });
    return {"/notes/" + std::to_string(written.id), std::move(written)};
}

http::result<note> read_note(db::lane& lane, const http::request& req)
{
    const auto id = req.path<std::int64_t>("id");

    auto found = lane.find<note>("SELECT id, text FROM notes WHERE id = $1", id);
    if (!found)
        return http::problem::not_found("there is no note " + std::to_string(id));
    return *std::move(found);
}

int main(int argc, char** argv)
{
    const auto port = static_cast<std::uint16_t>(argc > 1 ? std::stoi(argv[1]) : 8080);

    return heddle::fiber::run({.workers = 2}, [&] {
        db::database database{{.driver = db::sqlite({.path = "notes.db"}), .lanes = {{.name = "notes"}}}};
        auto& lane = database.lane("notes");
        lane.script("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");

        http::router router;
        router.post("/notes", [&](const http::request& req) { return write_note(lane, req); });
        router.get("/notes/{id}", [&](const http::request& req) { return read_note(lane, req); });

        http::server server{{.listen = {"127.0.0.1", port}}, router};
        server.serve(); // until SIGTERM, then until the last request is answered
    });
}
