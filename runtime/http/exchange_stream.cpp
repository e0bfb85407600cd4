// The part of an exchange that sends answers while they are made.
#include "http/exchange.hpp"

#include <heddle/fiber/scope.hpp>
#include <heddle/http/answer.hpp>

#include "http/answer_sink.hpp"
#include "http/reset_watch.hpp"

#include <utility>

namespace heddle::http {

// In a scope of its own, without the request's deadline: what ends it is the client's reset, or the server's
// drain. After the latter the body is whole.
exchange::streamed exchange::stream_long(response& answer)
{
    const fiber::scope& request = *fiber::scope::current();
    const fiber::shielded_scope apart(fiber::duration::max());
    fiber::scope& scope = *fiber::scope::current();
    if (request.has_committed())
        scope.note_commit();
    if (request.has_unknown_commit())
        scope.note_unknown_commit();
    const reset_watch watch(*stream_, scope);
    const long_streams::place place(service_->state.long_streams, scope);
    const streamed outcome = stream_body(answer, &place);
    notice_draining();
    return outcome;
}

// A producer that fails before its first write is answered like a handler that fails: `answer` becomes that.
exchange::streamed exchange::stream_body(response& answer, const long_streams::place* place)
{
    answer_sink sink(out_, answer, client_);
    bool is_whole = false;
    response instead = http::answer(request_, [&](const request&) {
        answer.body_producer()(sink);
        sink.finish();
        is_whole = true;
        return response();
    });
    if (!is_whole && instead.is_abandoned() && place && place->was_ended()) {
        sink.finish(); // it would have gone on; what there is of it is all that is to come
        is_whole = true;
    }
    if (is_whole && !out_.is_torn()) { // which the producer may have passed over
        client_.keep_alive = sink.keeps_alive();
        return streamed::whole;
    }
    if (sink.has_begun()) {
        if (instead.is_abandoned())
            answer.set_abandoned();
        return streamed::cut;
    }
    if (!request_.request_id().empty()) // what the middleware set went with the first answer
        instead.set_header("X-Request-Id", request_.request_id());
    answer = std::move(instead);
    return streamed::not_at_all;
}

} // namespace heddle::http
