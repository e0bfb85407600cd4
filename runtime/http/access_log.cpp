// The middleware that writes a line for each request.

#include <heddle/base/log.hpp>
#include <heddle/fiber/clock.hpp>
#include <heddle/http/escape.hpp>
#include <heddle/http/middleware.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>

namespace heddle::http {
namespace {

constexpr std::size_t max_target_bytes = 256;

// GET /orders/7?x=1 200 143B 312us route=/orders/{id} peer=127.0.0.1:40312 id=5f...
// `target` and `names` are what is around the outcome: a stream has them copied, as it outlives the request's
// handling.
struct access_line
{
    fiber::time_point start;
    std::string target;
    std::string names;

    access_line(fiber::time_point start, const request& req)
        : start(start),
          target(printable(req.method_text(), 32) + " " + printable(req.target(), max_target_bytes))
    {
        for (const auto& [name, value] :
             {std::pair{" route=", req.route()}, {" peer=", req.peer()}, {" id=", req.request_id()}})
            if (!value.empty())
                names.append(name).append(value);
    }

    void write(std::string_view outcome, std::uint64_t bytes) const
    {
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(fiber::now() - start);
        std::string line = target;
        line.append(" ").append(outcome).append(" ").append(std::to_string(bytes)).append("B ");
        line.append(std::to_string(took.count())).append("us").append(names);
        log::info(line);
    }
};

// Passes a stream on and counts it. Writes the line when the stream ends, in whatever way.
class counting_sink final : public sink
{
public:
    counting_sink(const access_line& line, status status, sink& out) : line_(line), status_(status), out_(out)
    {
    }

    ~counting_sink() override
    {
        const bool cut = std::uncaught_exceptions() > unwinding_before_;
        line_.write(!cut          ? std::to_string(static_cast<unsigned>(status_))
                    : bytes_ == 0 ? "refused" // answered otherwise, as nothing had been sent
                                  : "cut",
                    bytes_);
    }

    void write(std::string_view bytes) override
    {
        out_.write(bytes);
        bytes_ += bytes.size();
    }

private:
    const access_line& line_;
    http::status status_;
    sink& out_;
    std::uint64_t bytes_ = 0;
    int unwinding_before_ = std::uncaught_exceptions();
};

} // namespace

middleware access_log()
{
    return [](const request& req, const handler& next) {
        const fiber::time_point start = fiber::now();
        response answer = next(req);
        if (!log::enabled(log::level::info))
            return answer;

        access_line line(start, req);
        if (answer.is_streaming() && req.method() != verb::head) {
            answer.set_producer([line = std::move(line), status = answer.status(),
                                 inner = answer.body_producer()](sink& out) {
                counting_sink counting(line, status, out);
                inner(counting);
            });
            return answer;
        }
        line.write(answer.is_abandoned() ? "abandoned"
                                         : std::to_string(static_cast<unsigned>(answer.status())),
                   answer.body().size());
        return answer;
    };
}

} // namespace heddle::http
