#include <heddle/http/server.hpp>

#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>
#include <heddle/fiber/mutex.hpp>
#include <heddle/fiber/offload.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/fiber/task_group.hpp>
#include <heddle/net/signals.hpp>

#include "http/beginnings.hpp"
#include "http/connections.hpp"
#include "http/door.hpp"
#include "http/server_options.hpp"
#include "http/service.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include <csignal>

namespace heddle::http {

using namespace std::chrono_literals;

namespace {

// A client that sends one request after the other looks idle between two of them. It has this long to send
// the next one, whose answer tells it to go.
constexpr fiber::duration farewell = 100ms;

std::vector<int> wanted_signals(const server_options& options)
{
    if (!options.handle_signals)
        return {}; // stop() raises one all the same
    std::vector<int> numbers{SIGTERM, SIGINT, SIGUSR1};
    const auto& doors = options.listen.all;
    if (std::any_of(doors.begin(), doors.end(), [](const auto& d) { return d.tls.has_value(); }))
        numbers.push_back(SIGHUP);
    return numbers;
}

// One line each: a log cuts long values.
void log_fibers()
{
    const std::string all = fiber::dump_fibers();
    for (std::size_t at = 0, end = 0; at < all.size(); at = end + 1) {
        end = std::min(all.find('\n', at), all.size());
        log::info("fiber", {{"state", all.substr(at, end - at)}});
    }
}

// Closes what is idle for too long, until the scope ends: looks at all records when the first of them is due.
// Those that are being worked on say nothing of when they will be, so it looks every second at least.
void sweep(connections& connections, const server_options& options)
{
    constexpr fiber::duration shortest = 50ms;
    const fiber::duration longest = std::min<fiber::duration>({options.header_time, options.idle_time, 1s});
    for (;;) {
        const fiber::time_point next = std::min(connections.close_expired(), fiber::after(longest));
        const fiber::time_point until = std::max(next, fiber::after(shortest));
        if (fiber::park_alone({.reason = "idle connections", .until = until}) != fiber::wake::timed_out)
            return;
    }
}

} // namespace

struct server::implementation
{
    implementation(server_options wanted, handler application, handler operations)
        : state{.options = checked(std::move(wanted))},
          connections(state),
          stopping(wanted_signals(state.options))
    {
        for (const auto& options : state.options.listen.all) {
            const bool is_limited = options.kind == listener_kind::clients;
            doors.emplace_back(options, service{.state = state,
                                                .application = is_limited ? application : operations,
                                                .is_limited = is_limited});
        }
    }

    std::uint16_t port_of(listener_kind kind) const noexcept;
    void serve_until_stopped();
    void wait_for_the_end();
    void give_notice();
    void reload_tls();
    void reload_or_say_why();
    void drain();
    [[noreturn]] void give_up();

    server_state state;
    http::connections connections;
    net::signals stopping;
    fiber::mutex reloading;
    std::deque<door> doors; // where each stays: connections refer to its service
};

server::server(server_options options, handler application, handler operations)
    : implementation_(
          std::make_unique<implementation>(std::move(options), std::move(application), std::move(operations)))
{
}

server::~server() = default;

void server::serve()
{
    std::exception_ptr failure;
    try {
        implementation_->serve_until_stopped();
    } catch (...) {
        failure = std::current_exception();
    }
    implementation_->drain(); // whatever happened: what runs still uses what the caller is about to destroy
    if (failure)
        std::rethrow_exception(failure);
}

void server::implementation::serve_until_stopped()
{
    beginnings begun;
    fiber::task_group::run([this, &begun](fiber::task_group& tasks) {
        const auto start = [&](auto work) {
            tasks.start([&begun, work] {
                begun.count();
                work();
            });
        };
        for (door& each : doors)
            start([this, &each] { accept_all(each, connections); });
        start([this] { sweep(connections, state.options); });
        begun.wait_for(doors.size() + 1);
        wait_for_the_end();
        state.draining = true;
        if (state.options.on_drain)
            state.options.on_drain();
        give_notice();
        fiber::scope::current()->cancel(); // the group's: the acceptors take what waits, and end
    });
}

void server::implementation::wait_for_the_end()
{
    for (;;) {
        const int number = stopping.wait();
        if (number == SIGUSR1)
            log_fibers();
        else if (number == SIGHUP)
            reload_or_say_why();
        else
            return;
    }
}

// All of them or none.
void server::implementation::reload_tls()
{
    const std::scoped_lock one_at_a_time(reloading);
    std::vector<net::tls_context_ptr> read;
    fiber::offload([&] {
        for (const door& each : doors)
            read.push_back(each.tls ? each.tls->read_again() : nullptr);
    });
    for (std::size_t i = 0; i != read.size(); ++i)
        if (read[i])
            doors[i].tls->use(std::move(read[i]));
}

void server::implementation::reload_or_say_why()
{
    try {
        reload_tls();
        log::info("the certificates have been read again");
    } catch (const config_error& failure) {
        log::error("the certificates stay as they were", {{"error", failure.what()}});
    }
}

void server::implementation::give_notice()
{
    if (state.options.notice_time == 0ms)
        return;
    try {
        fiber::within(state.options.notice_time, [this] { wait_for_the_end(); });
    } catch (const deadline_exceeded&) {
        // Nobody was in a hurry.
    }
}

void server::implementation::drain()
{
    state.draining = true;
    state.long_streams.end_all();
    if (connections.wait_until_none(farewell))
        return;
    state.may_rest = false;
    connections.close_idle();
    if (connections.wait_until_none(state.options.drain_budget))
        return;
    log::warn("shutdown: cancelling what still runs", {{"connections", std::to_string(connections.open())}});
    log_fibers();
    connections.break_all();
    if (!connections.wait_until_none(state.options.interrupt_budget))
        give_up();
}

void server::implementation::give_up()
{
    const std::string left =
        "shutdown: these fibers did not end when they were cancelled\n" + fiber::dump_fibers();
    std::fputs(left.c_str(), stderr); // not the log: nobody would wait until it is written
    std::fflush(stderr);
    std::_Exit(EXIT_FAILURE);
}

void server::reload_tls()
{
    implementation_->reload_tls();
}

void server::stop() noexcept
{
    implementation_->stopping.raise(SIGTERM);
}

std::vector<listening_at> server::listening() const
{
    std::vector<listening_at> all;
    for (const door& each : implementation_->doors)
        all.push_back({each.listener.at(), each.kind, each.listener.is_inherited()});
    return all;
}

std::uint16_t server::implementation::port_of(listener_kind kind) const noexcept
{
    for (const door& each : doors)
        if (each.kind == kind && !each.listener.at().is_unix())
            return each.listener.port();
    return 0;
}

std::uint16_t server::port() const noexcept
{
    return implementation_->port_of(listener_kind::clients);
}

std::uint16_t server::operations_port() const noexcept
{
    return implementation_->port_of(listener_kind::operations);
}

std::int64_t server::requests_running() const noexcept
{
    return implementation_->state.running.load(std::memory_order_relaxed);
}

std::int64_t server::connections_open() const noexcept
{
    return implementation_->connections.open();
}

bool server::is_draining() const noexcept
{
    return implementation_->state.draining.load(std::memory_order_relaxed);
}

const server_counters& server::counters() const noexcept
{
    return implementation_->state.counters;
}

} // namespace heddle::http
