#include <heddle/http/middleware.hpp>

#include <heddle/fiber/gate.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/http/answer.hpp>

#include <memory>

namespace heddle::http {

handler chain(std::vector<middleware> around, handler inner)
{
    handler next = [inner = std::move(inner)](const request& req) { return answer(req, inner); };
    while (!around.empty()) {
        next = [outer = std::move(around.back()), next = std::move(next)](const request& req) {
            return answer(req, [&](const request& r) { return outer(r, next); });
        };
        around.pop_back();
    }
    return next;
}

// A stream is made after its handler has returned: whatever holds for the handler must hold for the producer
// as well.

middleware limit(fiber::gate& gate)
{
    return [&gate](const request& req, const handler& next) {
        auto permit = gate.enter();
        response answer = next(req);
        if (answer.is_streaming() && req.method() != verb::head) {
            auto kept =
                std::make_shared<fiber::gate::permit>(std::move(permit)); // until the response is gone
            answer.set_producer([kept, inner = answer.body_producer()](sink& out) { inner(out); });
        }
        return answer;
    };
}

middleware within(fiber::duration budget)
{
    return [budget](const request& req, const handler& next) {
        fiber::scope narrowed{{.deadline = fiber::after(budget)}};
        response answer = next(req);
        if (answer.is_streaming()) {
            answer.set_producer([until = narrowed.deadline(), inner = answer.body_producer()](sink& out) {
                fiber::scope again{{.deadline = until}};
                inner(out);
            });
        }
        return answer;
    };
}

middleware body_limit(std::uint64_t bytes)
{
    return [bytes](const request& req, const handler& next) {
        req.set_body_limit(bytes);
        return next(req);
    };
}

bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept
{
    if (a.size() != b.size())
        return false;
    volatile unsigned char difference = 0; // volatile: the loop may not end at the first difference
    for (std::size_t i = 0; i != a.size(); ++i)
        difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
    return difference == 0;
}

} // namespace heddle::http
