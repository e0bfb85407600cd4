#include <heddle/http/event_stream.hpp>

#include <heddle/base/error.hpp>
#include <heddle/fiber/runtime.hpp>

#include <algorithm>

namespace heddle::http {

namespace {

void check_line(std::string_view text, const char* what)
{
    if (text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos)
        throw error(kind::internal, std::string("an event's ") + what + " has a line break or NUL");
}

void append_field(std::string& out, std::string_view name, std::string_view value)
{
    out.append(name).append(": ").append(value).append("\n");
}

// A line ends at CR, LF, or both.
void append_data(std::string& out, std::string_view data)
{
    for (;;) {
        const std::size_t end = data.find_first_of("\r\n");
        append_field(out, "data", data.substr(0, end));
        if (end == std::string_view::npos)
            return;
        data.remove_prefix(end + (data.substr(end, 2) == "\r\n" ? 2 : 1));
    }
}

} // namespace

void event_sink::send(const event& e)
{
    check_line(e.event, "type");
    check_line(e.id, "id");
    std::string out;
    out.reserve(e.data.size() + e.event.size() + e.id.size() + 64);
    if (!e.event.empty())
        append_field(out, "event", e.event);
    if (!e.id.empty())
        append_field(out, "id", e.id);
    if (e.retry)
        append_field(out, "retry", std::to_string(std::max<std::int64_t>(e.retry->count(), 0)));
    if (!e.data.empty())
        append_data(out, e.data);
    out += '\n';
    write(out);
}

void event_sink::sleep_for(fiber::duration time)
{
    const fiber::time_point until = fiber::after(time);
    for (;;) {
        const fiber::time_point now = fiber::now();
        if (now >= until)
            return;
        if (now >= next_heartbeat_)
            beat();
        fiber::sleep_for(std::min(until, next_heartbeat_) - fiber::now());
    }
}

void event_sink::beat()
{
    write(":\n\n"); // a comment
}

void event_sink::write(std::string_view bytes)
{
    out_.write(bytes);
    next_heartbeat_ = fiber::after(heartbeat_);
}

response events(const request& req, std::function<void(event_sink&)> producer, const event_options& options)
{
    response answer =
        stream("text/event-stream", [producer = std::move(producer), heartbeat = options.heartbeat,
                                     last = std::string(req.header("Last-Event-ID"))](sink& out) {
            event_sink events(out, last, heartbeat);
            producer(events);
        });
    answer.set_header(field::cache_control, "no-cache");
    answer.set_header("X-Accel-Buffering", "no"); // nginx passes each event on at once
    answer.set_long_lived();
    return answer;
}

} // namespace heddle::http
