// Server-sent events: what is written for each, and how long the stream goes on.
#include "conversation.hpp"

#include <heddle/fiber/scope.hpp>
#include <heddle/http/event_stream.hpp>
#include <heddle/http/middleware.hpp>

#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>

namespace {

std::string sent(const std::function<void(http::event_sink&)>& producer,
                 const http::request& req = http::get("/"))
{
    return http::collect(http::events(req, producer));
}

std::string written(const http::event& e)
{
    return sent([&](http::event_sink& out) { out.send(e); });
}

// One that listens for as long as it may.
struct listener : conversation
{
    int heard = 0;
    bool ended = false;
    heddle::fiber::mutex guard;
    heddle::fiber::condition_variable changed;
    int news = 0;

    listener()
    {
        app.get("/events", [this](const http::request& req) {
            return http::events(req, [this](http::event_sink& out) { tell(out); });
        });
        app.get("/fails", [](const http::request& req) {
            return http::events(req, [](http::event_sink&) {
                throw heddle::overloaded(heddle::overloaded::why::full, "full");
            });
        });
    }

    ~listener() // a stream that still goes on uses what is destroyed next
    {
        stream.reset();
        runtime.run_ready();
    }

    void tell(http::event_sink& out)
    {
        const mark_end mark{ended};
        for (;;) {
            std::unique_lock lock(guard);
            out.wait(lock, changed, [this] { return heard < news; });
            ++heard;
            lock.unlock();
            out.send({.data = "news " + std::to_string(heard)});
        }
    }

    void happen()
    {
        ++news;
        changed.notify_all();
        runtime.run_ready();
    }

    struct mark_end
    {
        bool& ended;
        ~mark_end() { ended = true; }
    };
};

} // namespace

BOOST_AUTO_TEST_SUITE(an_event)

BOOST_AUTO_TEST_CASE(is_written_as_the_standard_has_it)
{
    using namespace std::chrono_literals;

    BOOST_TEST(written({.data = "hello"}) == "data: hello\n\n");
    BOOST_TEST(written({.event = "price", .data = "7", .id = "42", .retry = 1500ms}) ==
               "event: price\nid: 42\nretry: 1500\ndata: 7\n\n");
    BOOST_TEST(written({.id = "42"}) == "id: 42\n\n");
}

BOOST_AUTO_TEST_CASE(has_its_lines_one_by_one)
{
    BOOST_TEST(written({.data = "a\nb"}) == "data: a\ndata: b\n\n");
    BOOST_TEST(written({.data = "a\r\nb\rc\n"}) == "data: a\ndata: b\ndata: c\ndata: \n\n");
    BOOST_TEST(written({.data = "\n\nevent: forged\n\n"}) ==
               "data: \ndata: \ndata: event: forged\ndata: \ndata: \n\n");
}

BOOST_AUTO_TEST_CASE(cannot_be_made_to_be_two)
{
    for (const std::string& wrong : {std::string("a\nb"), std::string("a\rb"), std::string("a\0b", 3)}) {
        BOOST_CHECK_THROW(written({.event = wrong, .data = "x"}), heddle::error);
        BOOST_CHECK_THROW(written({.data = "x", .id = wrong}), heddle::error);
    }
}

BOOST_AUTO_TEST_CASE(follows_the_last_one_that_the_client_has)
{
    const auto tell_last = [](http::event_sink& out) { out.send({.data = out.last_event_id()}); };

    BOOST_TEST(sent(tell_last, http::get("/").with_header("Last-Event-ID", "42")) == "data: 42\n\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(an_event_stream)

BOOST_FIXTURE_TEST_CASE(says_what_it_is_before_there_is_an_event, listener)
{
    const std::string head = say(get("/events"));

    BOOST_TEST(head.find("Content-Type: text/event-stream\r\n") != std::string::npos);
    BOOST_TEST(head.find("Cache-Control: no-cache\r\n") != std::string::npos);
    BOOST_TEST(body_of(head) == "3\r\n:\n\n\r\n");
}

BOOST_FIXTURE_TEST_CASE(sends_each_event_when_it_happens, listener)
{
    say(get("/events"));
    stream.take_written();

    happen();

    BOOST_TEST(stream.take_written() == "e\r\ndata: news 1\n\n\r\n");
}

BOOST_FIXTURE_TEST_CASE(outlives_the_budget_of_a_request_and_is_never_silent_for_long, listener)
{
    say(get("/events"));
    stream.take_written();

    runtime.advance(10min);

    BOOST_TEST(!ended);
    const std::string beats = stream.take_written();
    BOOST_TEST(count(beats, ":\n\n") == 40u);
    happen();
    BOOST_TEST(stream.take_written() == "e\r\ndata: news 1\n\n\r\n");
}

BOOST_FIXTURE_TEST_CASE(ends_at_once_when_the_client_has_gone, listener)
{
    say(get("/events"));

    stream.reset();
    runtime.run_ready();

    BOOST_TEST(ended);
    BOOST_TEST((last == http::exchange::next::reset));
    BOOST_TEST(runtime.fibers() == 0);
}

BOOST_FIXTURE_TEST_CASE(ends_whole_when_the_server_drains, listener)
{
    say(get("/events"));
    stream.take_written();

    state.draining = true;
    state.long_streams.end_all();
    runtime.run_ready();

    BOOST_TEST(ended);
    BOOST_TEST(stream.take_written() == "0\r\n\r\n");
    BOOST_TEST((last == http::exchange::next::linger)); // and closes
}

BOOST_FIXTURE_TEST_CASE(that_comes_while_the_server_drains_ends_at_once, listener)
{
    state.draining = true;
    state.long_streams.end_all();

    const std::string answer = say(get("/events"));

    BOOST_TEST(ended);
    BOOST_TEST(answer.find("Connection: close\r\n") != std::string::npos);
    BOOST_TEST(answer.ends_with("0\r\n\r\n"));
}

BOOST_FIXTURE_TEST_CASE(that_fails_before_its_first_event_is_answered_as_usual, listener)
{
    BOOST_TEST(say(get("/fails")).starts_with("HTTP/1.1 503 "));
}

BOOST_AUTO_TEST_CASE(tells_that_it_lives_while_it_sleeps)
{
    heddle::testing::runtime runtime;
    std::string written;
    runtime.spawn([&] {
        written = http::collect(http::events(
            http::get("/"), [](http::event_sink& out) { out.sleep_for(25s); }, {.heartbeat = 10s}));
    });

    runtime.advance(25s);

    BOOST_TEST(written == ":\n\n:\n\n:\n\n"); // at 0, 10 and 20 s
}

BOOST_AUTO_TEST_SUITE_END()
