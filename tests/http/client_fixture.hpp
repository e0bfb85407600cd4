// A client whose upstream is played by the test, in memory: what it sends can be read, and what is answered
// is said byte by byte or by a script.
#pragma once

#include <heddle/base/error.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/http/client.hpp>
#include <heddle/http/reply.hpp>
#include <heddle/testing/memory_stream.hpp>
#include <heddle/testing/runtime.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fiber = heddle::fiber;
namespace http = heddle::http;
namespace testing = heddle::testing;

using namespace std::chrono_literals;
using heddle::kind;

// The client's end of a connection; the test keeps the other one.
class played_stream final : public heddle::net::stream
{
public:
    struct peer
    {
        testing::memory_stream wire;
        std::string to; // the origin it was opened for
        bool is_closed = false;
        bool takes_no_more = false; // reading from it goes on

        void arrive(std::string_view bytes) { wire.arrive(bytes); }
        void end() { wire.end(); }
        void reset() { wire.reset(); }
        const std::string& written() const noexcept { return wire.written(); }
    };
    using script = std::function<void(peer& peer, std::string_view written)>;

    played_stream(std::shared_ptr<peer> peer, script script)
        : peer_(std::move(peer)), script_(std::move(script))
    {
    }
    ~played_stream() override { peer_->is_closed = true; }

    std::size_t read_some(std::span<char> into) override { return peer_->wire.read_some(into); }
    std::ptrdiff_t try_read_some(std::span<char> into) override { return peer_->wire.try_read_some(into); }
    std::size_t try_write_some(std::string_view bytes) override { return peer_->wire.try_write_some(bytes); }
    void write(std::string_view all) override
    {
        if (peer_->takes_no_more)
            throw heddle::net::broken("the peer reads no more");
        peer_->wire.write(all);
        if (script_)
            script_(*peer_, all);
    }
    void shutdown_write() noexcept override { peer_->wire.shutdown_write(); }
    void cancel_on_reset(fiber::scope* request) noexcept override { peer_->wire.cancel_on_reset(request); }

private:
    std::shared_ptr<peer> peer_;
    script script_;
};

struct client_fixture
{
    testing::runtime runtime;
    std::vector<std::shared_ptr<played_stream::peer>> peers; // in the order in which they were opened
    played_stream::script script;                            // answers each write; empty: the test does
    std::function<void()> before_open;                       // may park or throw
    http::client_options options{
        .origin = "http://pricing:9000", .max_connections = 2, .least_retries_a_second = 0, .open = opener()};

    std::function<std::unique_ptr<heddle::net::stream>(const http::origin&)> opener()
    {
        return [this](const http::origin& to) {
            if (before_open)
                before_open();
            peers.push_back(std::make_shared<played_stream::peer>());
            peers.back()->to = to_string(to);
            return std::make_unique<played_stream>(peers.back(), script);
        };
    }

    // What has become of a request, once it has become something.
    struct outcome
    {
        std::optional<http::response> answer;
        std::optional<kind> failure;
        std::string what;
    };

    // Does it on a fiber of its own, within `budget`, until it waits.
    template <class F>
    std::shared_ptr<outcome> start(F&& f, fiber::duration budget = 1h)
    {
        auto result = std::make_shared<outcome>();
        runtime.spawn([result, budget, f = std::forward<F>(f)] {
            try {
                fiber::scope scope({.deadline = fiber::after(budget), .request_id = "the-id"});
                result->answer = f();
            } catch (const heddle::error& e) {
                result->failure = e.kind();
                result->what = e.what();
            }
        });
        runtime.run_ready();
        return result;
    }

    std::shared_ptr<outcome> ask(http::client& client, http::request request, fiber::duration budget = 1h)
    {
        return start([&client, request = std::move(request)] { return client(request); }, budget);
    }

    void say(std::size_t peer, std::string_view bytes)
    {
        peers.at(peer)->arrive(bytes);
        runtime.run_ready();
    }
};

inline const std::string pong = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npong";
