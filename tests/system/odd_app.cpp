// An application that writes down what it is asked, for those who ask in odd ways. Prints its port, and
// serves until SIGTERM.
//
// Every answer says in X-Asked which one it was, counted from 1. GET /asked gives them all, a line each:
// method, target and body in hex digits, a '-' before each so that none is empty. It is not one of them.
#include <heddle/fiber/runtime.hpp>
#include <heddle/http/reply.hpp>
#include <heddle/http/server.hpp>

#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

namespace fiber = heddle::fiber;
namespace http = heddle::http;

namespace {

std::string hex(std::string_view bytes)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string text = "-";
    for (const char c : bytes) {
        text += digits[static_cast<unsigned char>(c) >> 4];
        text += digits[static_cast<unsigned char>(c) & 15];
    }
    return text;
}

class notes
{
public:
    std::size_t add(const std::string& line)
    {
        const std::lock_guard lock(mutex_);
        all_ += line;
        return ++count_;
    }

    std::string all() const
    {
        const std::lock_guard lock(mutex_);
        return all_;
    }

private:
    mutable std::mutex mutex_; // held for a moment only: nothing parks under it
    std::string all_;
    std::size_t count_ = 0;
};

http::response answer(notes& asked, const http::request& req)
{
    if (req.target() == "/asked")
        return http::response(http::status::ok, "text/plain", asked.all());
    const std::string body(req.body());
    const std::string line = hex(req.method_text()) + ' ' + hex(req.target()) + ' ' + hex(body) + '\n';
    http::response noted(http::status::ok);
    noted.set_header("X-Asked", std::to_string(asked.add(line)));
    return noted;
}

} // namespace

int main()
{
    return fiber::run({.workers = 2}, [] {
        notes asked;
        http::server server({.listen = {"127.0.0.1", 0}},
                            [&asked](const http::request& req) { return answer(asked, req); });
        std::printf("%d\n", server.port());
        std::fflush(stdout);
        server.serve();
    });
}
