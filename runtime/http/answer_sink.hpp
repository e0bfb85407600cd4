// Where a streamed answer's producer writes to: first the head, then the body as the client understands it.
#pragma once

#include "http/head_writer.hpp"
#include "http/outbox.hpp"

#include <heddle/http/response.hpp>
#include <heddle/http/sink.hpp>

namespace heddle::http {

class answer_sink final : public sink
{
public:
    // All three must outlive it.
    answer_sink(outbox& out, const response& answer, const asker& client)
        : out_(out), answer_(answer), client_(client), framing_(frame_answer(answer, client))
    {
    }

    void write(std::string_view bytes) override;

    // The producer has returned: whatever it wrote is the whole body.
    void finish();

    // The head has been written: no other answer is possible.
    bool has_begun() const noexcept { return has_begun_; }
    bool keeps_alive() const noexcept { return framing_.keep_alive; }

private:
    void begin();
    void flush();

    outbox& out_;
    const response& answer_;
    asker client_;
    answer_framing framing_;
    bool has_begun_ = false;
};

} // namespace heddle::http
