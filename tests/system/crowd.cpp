// A crowd of clients: some ask ten times a second, many rest after an answer, and most
// send a head that never ends, one byte a second, again and again. Prints the busy ones' times without the
// crowd, with the crowd at another server of this machine, and with it at theirs.
// Usage: system_crowd PORT ELSEWHERE BUSY IDLE TRICKLING SECONDS
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using clock = std::chrono::steady_clock;

constexpr std::string_view request = "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view endless =
    "GET /ping HTTP/1.1\r\nHost: a\r\nX: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy";
constexpr auto pause = std::chrono::milliseconds(100); // from one request of a busy client to the next
constexpr auto between_arrivals = std::chrono::microseconds(400); // or what ends at once returns at once

enum class part
{
    busy,
    idle,
    trickling
};

struct client
{
    part role = part::busy;
    int fd = -1;
    bool connected = false;
    std::size_t sent = 0;    // bytes of a head that never ends
    clock::time_point due{}; // when a busy one's next request is
};

void check(bool holds, const char* what)
{
    if (!holds)
        throw std::runtime_error(std::string(what) + ": errno " + std::to_string(errno));
}

class crowd
{
public:
    explicit crowd(std::uint16_t port) : port_(port), epoll_(::epoll_create1(0))
    {
        check(epoll_ >= 0, "epoll");
    }
    ~crowd()
    {
        for (const client& c : clients_)
            if (c.fd >= 0)
                ::close(c.fd);
        ::close(epoll_);
    }
    crowd(const crowd&) = delete;
    crowd& operator=(const crowd&) = delete;

    // They come a few at a time, while the others go on. Returns when all are there.
    void bring(part role, std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i) {
            client& c = clients_.emplace_back();
            c.role = role;
            absent_.push_back(&c);
            if (role == part::trickling)
                trickling_.push_back(&c);
        }
        while (!absent_.empty() || connecting_ > 0)
            turn();
    }

    // The busy ones' times of the next `seconds`, in milliseconds.
    std::vector<double> measure(double seconds)
    {
        took_.clear();
        const auto until = clock::now() + std::chrono::duration<double>(seconds);
        while (clock::now() < until)
            turn();
        return std::move(took_);
    }

    void turn()
    {
        const auto now = clock::now();
        arrival_ = std::max(arrival_, now - std::chrono::milliseconds(20));
        for (; !absent_.empty() && arrival_ <= now; arrival_ += between_arrivals) {
            connect(*absent_.front());
            absent_.pop_front();
        }
        ask_who_is_due();
        trickle();
        std::array<epoll_event, 256> events;
        const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 1);
        for (int i = 0; i < count; ++i)
            happened(*static_cast<client*>(events[static_cast<std::size_t>(i)].data.ptr));
    }

private:
    void connect(client& c)
    {
        c.fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        check(c.fd >= 0, "socket");
        sockaddr_in from{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}};
        from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + static_cast<std::uint32_t>(next_address_++ % 8));
        check(::bind(c.fd, reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0, "bind");
        sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(port_), .sin_addr = {}, .sin_zero = {}};
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        check(::connect(c.fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 || errno == EINPROGRESS,
              "connect");
        c.connected = false;
        c.sent = 0;
        ++connecting_;
        watch(c, EPOLL_CTL_ADD, EPOLLOUT);
    }

    void watch(client& c, int how, std::uint32_t what)
    {
        epoll_event event{.events = what, .data = {.ptr = &c}};
        check(::epoll_ctl(epoll_, how, c.fd, &event) == 0, "epoll_ctl");
    }

    void happened(client& c)
    {
        if (!c.connected) {
            int error = 0;
            socklen_t size = sizeof error;
            ::getsockopt(c.fd, SOL_SOCKET, SO_ERROR, &error, &size);
            errno = error;
            check(error == 0, "connect");
            c.connected = true;
            --connecting_;
            watch(c, EPOLL_CTL_MOD, EPOLLIN);
            if (c.role != part::busy)
                return c.role == part::idle ? ask(c) : void();
            c.due = clock::now() + pause * (busy_.size() % 1000) / 1000; // evenly, whenever they have come
            busy_.push_back(&c);
            return;
        }
        std::array<char, 4096> answer;
        const auto size = ::recv(c.fd, answer.data(), answer.size(), 0);
        if (c.role == part::trickling)
            come_again(c);
        else
            answered(c, std::string_view(answer.data(), size > 0 ? static_cast<std::size_t>(size) : 0));
    }

    // Its head took too long: it was told so, or only closed.
    void come_again(client& c)
    {
        ::close(std::exchange(c.fd, -1));
        c.connected = false;
        absent_.push_back(&c);
    }

    void ask(client& c)
    {
        check(::send(c.fd, request.data(), request.size(), MSG_NOSIGNAL) == std::ssize(request), "send");
    }

    void answered(client& c, std::string_view answer)
    {
        check(answer.starts_with("HTTP/1.1 200") && answer.ends_with("pong"), "an answer that is not one");
        if (c.role == part::idle)
            return;
        const auto now = clock::now();
        took_.push_back(std::chrono::duration<double, std::milli>(now - c.due).count());
        while (c.due <= now) // they stay spread out, whatever happened
            c.due += pause;
        busy_.push_back(&c);
    }

    // What a request took counts from when it was due.
    void ask_who_is_due()
    {
        const auto now = clock::now();
        for (std::size_t n = busy_.size(); n > 0; --n) {
            client& c = *busy_.front();
            busy_.pop_front();
            if (c.due > now)
                busy_.push_back(&c);
            else
                ask(c);
        }
    }

    // A byte a second for each, evenly over the second.
    void trickle()
    {
        const auto now = clock::now();
        if (trickling_.empty()) {
            trickled_ = now;
            return;
        }
        const auto each = std::chrono::nanoseconds(std::chrono::seconds(1)) / trickling_.size();
        for (; trickled_ + each <= now; trickled_ += each) {
            client& c = *trickling_[next_trickling_++ % trickling_.size()];
            if (c.connected && c.fd >= 0)
                ::send(c.fd, &endless[c.sent++ % endless.size()], 1, MSG_NOSIGNAL);
        }
    }

    std::uint16_t port_;
    int epoll_;
    std::deque<client> clients_; // they stay where they are
    std::deque<client*> absent_;
    std::deque<client*> busy_; // those that have no request under way
    std::vector<client*> trickling_;
    std::size_t connecting_ = 0;
    std::size_t next_address_ = 0;
    std::size_t next_trickling_ = 0;
    clock::time_point trickled_{};
    clock::time_point arrival_{}; // when the next one may come
    std::vector<double> took_;
};

double percentile(std::vector<double>& took, std::size_t percent)
{
    check(!took.empty(), "nothing was answered");
    const auto at = took.begin() + static_cast<std::ptrdiff_t>(took.size() * percent / 100);
    std::nth_element(took.begin(), at, took.end());
    return *at;
}

// The 99th percentile of each second, and of those the median: one hiccup of the machine does not count.
void report(const char* when, crowd& busy, int seconds)
{
    std::vector<double> p99;
    std::size_t answered = 0;
    for (int i = 0; i < seconds; ++i) {
        auto took = busy.measure(1);
        answered += took.size();
        p99.push_back(percentile(took, 99));
    }
    std::printf("%s %zu %.3f\n", when, answered, percentile(p99, 50));
    std::fflush(stdout);
}

// The busy ones have a thread of their own: what they wait for is the server, and nothing here.
void measure_beside(std::uint16_t port, crowd& busy, std::size_t idle, std::size_t trickling,
                    const char* when, int seconds)
{
    crowd others(port);
    std::atomic<bool> all_there = false;
    const std::jthread thread([&](const std::stop_token& over) {
        others.bring(part::idle, idle);
        others.bring(part::trickling, trickling);
        all_there = true;
        while (!over.stop_requested())
            others.turn();
    });
    while (!all_there)
        busy.measure(0.1);
    busy.measure(1);
    report(when, busy, 2 * seconds);
}

void run(char** arguments)
{
    const auto number = [&](int n) { return static_cast<std::size_t>(std::atoi(arguments[n])); };
    const auto port = static_cast<std::uint16_t>(number(1));
    const auto elsewhere = static_cast<std::uint16_t>(number(2));
    const int seconds = std::atoi(arguments[6]);
    crowd busy(port);
    busy.bring(part::busy, number(3));
    busy.measure(0.5);
    report("alone", busy, seconds);
    measure_beside(elsewhere, busy, number(4), number(5), "elsewhere", seconds);
    measure_beside(port, busy, number(4), number(5), "crowded", seconds);
}

} // namespace

int main(int count, char** arguments)
{
    if (count != 7)
        return EXIT_FAILURE;
    try {
        run(arguments);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
