// The families of /metrics, part by part.
#include "families.hpp"

#include <heddle/base/log.hpp>
#include <heddle/fiber/runtime.hpp>

#include <string>
#include <utility>

namespace app {

namespace db = heddle::db;
namespace fiber = heddle::fiber;
namespace http = heddle::http;

using heddle::metrics_page;

namespace {

void add_gate(metrics_page& page, const fiber::gate& gate, const heddle::metric_labels& lane)
{
    using statistics = fiber::gate_statistics;
    const auto refused = [&](const char* why, std::uint64_t statistics::*member) {
        auto labels = lane;
        labels.emplace_back("why", why);
        page.add_counter(
            "heddle_lane_refused_total", "Operations that did not get their turn.",
            [&gate, member] { return static_cast<double>(gate.statistics().*member); }, labels);
    };
    refused("full", &statistics::full);
    refused("timed_out", &statistics::timed_out);
    refused("cancelled", &statistics::cancelled);
    page.add_gauge(
        "heddle_lane_running", "Operations that have their turn now.",
        [&gate] { return static_cast<double>(gate.statistics().in_flight); }, lane);
    page.add_gauge(
        "heddle_lane_queued", "Operations that wait for their turn now.",
        [&gate] { return static_cast<double>(gate.statistics().queued); }, lane);
}

void add_meter(metrics_page& page, const db::meter& meter, const heddle::metric_labels& lane)
{
    for (std::size_t i = 0; i < db::outcomes; ++i) {
        const auto outcome = static_cast<db::outcome>(i);
        auto labels = lane;
        labels.emplace_back("outcome", std::string(db::name_of(outcome)));
        page.add("heddle_lane_operations_total", "Operations that ended.", meter.of(outcome), labels);
    }
    page.add("heddle_lane_gate_wait_seconds", "Waited for the gate.", meter.gate_wait(), lane);
    page.add("heddle_lane_pool_wait_seconds", "Waited for a connection.", meter.pool_wait(), lane);
    page.add("heddle_lane_hold_seconds", "Had a connection.", meter.hold(), lane);
    page.add("heddle_lane_statement_seconds", "Statements ran.", meter.statement(), lane);
    page.add("heddle_lane_lock_wait_seconds", "Waited for the turn to write and for locks.",
             meter.lock_wait(), lane);
}

void add_pool(metrics_page& page, const db::database& database)
{
    using statistics = fiber::pool_statistics;
    const auto gauge = [&](const char* name, const char* help, std::int64_t statistics::*member) {
        page.add_gauge(name, help, [&database, member] {
            return static_cast<double>(database.pool_statistics().*member);
        });
    };
    const auto counter = [&](const char* name, const char* help, std::uint64_t statistics::*member) {
        page.add_counter(name, help, [&database, member] {
            return static_cast<double>(database.pool_statistics().*member);
        });
    };
    gauge("heddle_pool_open", "Connections, with those being opened and closed.", &statistics::open);
    gauge("heddle_pool_active", "Connections that are leased.", &statistics::active);
    gauge("heddle_pool_idle", "Connections that nobody uses.", &statistics::idle);
    gauge("heddle_pool_waiting", "Operations that wait for a connection.", &statistics::waiting);
    counter("heddle_pool_timed_out_total", "Waits that ended without a connection.", &statistics::timed_out);
    counter("heddle_pool_opened_total", "Connections opened.", &statistics::opened);
    counter("heddle_pool_failed_to_open_total", "Attempts to open a connection that failed.",
            &statistics::failed_to_open);
    counter("heddle_pool_closed_total", "Connections closed.", &statistics::closed);
}

void add_groups(metrics_page& page, const db::database& database)
{
    const auto counter = [&](const char* name, const char* help,
                             std::uint64_t db::group_statistics::*member) {
        page.add_counter(name, help,
                         [&database, member] { return static_cast<double>(database.groups().*member); });
    };
    counter("heddle_group_commits_total", "SQLite: COMMITs.", &db::group_statistics::groups);
    counter("heddle_group_members_total", "SQLite: transactions that shared them.",
            &db::group_statistics::members);
    counter("heddle_group_held_up_total", "SQLite: transactions that kept finished ones waiting.",
            &db::group_statistics::held_up);
}

} // namespace

void add_families(metrics_page& page, const http::server& server)
{
    const auto& counters = server.counters();
    const auto connections = [&](const char* event, const heddle::counter& counter) {
        page.add("heddle_connections_total", "Connections, by what became of them.", counter,
                 {{"event", event}});
    };
    const auto requests = [&](const char* event, const heddle::counter& counter) {
        page.add("heddle_requests_total", "Requests, by what became of them.", counter, {{"event", event}});
    };
    connections("accepted", counters.accepted);
    connections("turned_away", counters.turned_away);
    connections("timed_out", counters.timed_out);
    connections("idled_out", counters.idled_out);
    requests("received", counters.requests);
    requests("overloaded", counters.overloaded);
    requests("cancelled", counters.cancelled);
    requests("cut", counters.cut);
    for (std::size_t i = 1; i < counters.answered.size(); ++i)
        page.add("heddle_answers_total", "Answers, by the class of their status.", counters.answered[i],
                 {{"status", std::to_string(i + 1) + "xx"}});
    page.add_gauge("heddle_connections", "Connections open.",
                   [&server] { return static_cast<double>(server.connections_open()); });
    page.add_gauge("heddle_requests_running", "Requests that run.",
                   [&server] { return static_cast<double>(server.requests_running()); });
}

void add_families(metrics_page& page, db::database& database)
{
    for (auto& lane : database.lanes()) {
        const heddle::metric_labels label{{"lane", lane.name()}};
        add_gate(page, lane.gate(), label); // all lanes of this server have one
        add_meter(page, lane.meter(), label);
    }
    add_pool(page, database);
    add_groups(page, database);
}

void add_families(metrics_page& page, const http::client& client, const std::string& upstream)
{
    const auto& counters = client.counters();
    const heddle::metric_labels label{{"upstream", upstream}};
    const auto with = [&](const char* name, std::string value) {
        auto labels = label;
        labels.emplace_back(name, std::move(value));
        return labels;
    };
    const auto requests = [&](const char* event, const heddle::counter& counter) {
        page.add("heddle_upstream_requests_total", "Requests to other services, by what became of them.",
                 counter, with("event", event));
    };
    requests("asked", counters.requests);
    requests("failed", counters.failed);
    requests("timed_out", counters.timed_out);
    requests("ended", counters.ended);
    requests("overloaded", counters.overloaded);
    requests("retried", counters.retries);
    requests("retry_refused", counters.retries_refused);
    requests("stale", counters.stale);
    requests("redirected", counters.redirects);
    for (std::size_t i = 1; i < counters.answered.size(); ++i)
        page.add("heddle_upstream_answers_total", "Answers of other services, by the class of their status.",
                 counters.answered[i], with("status", std::to_string(i + 1) + "xx"));
    page.add("heddle_upstream_answer_seconds", "From a request's first byte to the head of its answer.",
             counters.answer_time, label);
    page.add_gauge(
        "heddle_upstream_connections", "Connections to another service.",
        [&client] { return static_cast<double>(client.connections().open); }, label);
}

void add_families_of_the_process(metrics_page& page)
{
    using statistics = fiber::runtime_statistics;
    const auto counter = [&](const char* name, const char* help, std::uint64_t statistics::*member) {
        page.add_counter(name, help, [member] { return static_cast<double>(fiber::statistics().*member); });
    };
    const auto gauge = [&](const char* name, const char* help, std::int64_t statistics::*member) {
        page.add_gauge(name, help, [member] { return static_cast<double>(fiber::statistics().*member); });
    };
    counter("heddle_fiber_switches_total", "Switches from one fiber to another.", &statistics::switches);
    counter("heddle_fiber_steals_total", "Fibers that a worker took from another's queue.",
            &statistics::steals);
    counter("heddle_fiber_polls_total", "Looks into the epoll set.", &statistics::polls);
    counter("heddle_fiber_sleeps_total", "Times a worker had nothing to run.", &statistics::sleeps);
    counter("heddle_fiber_spawned_total", "Fibers started.", &statistics::spawned);
    gauge("heddle_fibers", "Fibers alive.", &statistics::fibers);
    gauge("heddle_stacks", "Stacks made, in use or pooled.", &statistics::stacks);
    page.add_counter("heddle_log_dropped_total", "Log lines dropped because they came too fast.",
                     [] { return static_cast<double>(heddle::log::dropped()); });
}

} // namespace app
