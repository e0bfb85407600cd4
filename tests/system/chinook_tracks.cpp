// Tracks by a part of their name, page by page: each page says where the next one begins.
#include "chinook.hpp"

#include <boost/describe.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chinook {

namespace {

struct track
{
    std::int64_t track_id;
    std::string name;
    std::optional<std::string> album;
    std::optional<std::string> artist;
    std::optional<std::string> genre;
    std::optional<std::string> composer;
    std::int64_t milliseconds;
    double unit_price;
};
BOOST_DESCRIBE_STRUCT(track, (), (track_id, name, album, artist, genre, composer, milliseconds, unit_price))

struct found_tracks
{
    std::vector<track> tracks;
    std::optional<std::int64_t> next; // `after` of the next page; null: this is the last one
};
BOOST_DESCRIBE_STRUCT(found_tracks, (), (tracks, next))

// Not LIKE: what is searched for may have a % in it.
constexpr db::sql tracks_by_name{
    .sqlite = R"(
    SELECT TrackId AS track_id, Track.Name AS name, Title AS album, Artist.Name AS artist,
           Genre.Name AS genre, Composer AS composer, Milliseconds AS milliseconds, UnitPrice AS unit_price
    FROM Track LEFT JOIN Album USING (AlbumId) LEFT JOIN Artist USING (ArtistId)
         LEFT JOIN Genre USING (GenreId)
    WHERE instr(lower(Track.Name), lower($1)) > 0 AND TrackId > $2 ORDER BY TrackId LIMIT $3)",
    .postgres = R"(
    SELECT track_id, track.name, title AS album, artist.name AS artist, genre.name AS genre, composer,
           milliseconds, unit_price
    FROM track LEFT JOIN album USING (album_id) LEFT JOIN artist USING (artist_id)
         LEFT JOIN genre USING (genre_id)
    WHERE strpos(lower(track.name), lower($1)) > 0 AND track_id > $2 ORDER BY track_id LIMIT $3)",
};

found_tracks search_tracks(db::lane& reads, const http::request& req)
{
    const auto name = req.query<std::string>("name").value_or("");
    const auto wanted = page_of(req);

    // One more than wanted tells whether there is a next page.
    found_tracks found = {reads.query<track>(tracks_by_name, name, wanted.after, wanted.limit + 1),
                          std::nullopt};
    if (found.tracks.size() > static_cast<std::size_t>(wanted.limit)) {
        found.tracks.pop_back();
        found.next = found.tracks.back().track_id;
    }
    return found;
}

} // namespace

void mount_tracks(http::router& router, db::lane& reads)
{
    router.get("/tracks", [&reads](const http::request& req) { return search_tracks(reads, req); });
}

} // namespace chinook
