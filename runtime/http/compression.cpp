#include <heddle/http/compression.hpp>

#include <heddle/base/error.hpp>
#include <heddle/fiber/compute.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/http/message.hpp>
#include <heddle/http/vary.hpp>

#include "http/accept_encoding.hpp"
#include "http/field_list.hpp"
#include "http/gzip.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace heddle::http {

namespace {

// Level 5 packs some 60 to 100 MB/s: below this it takes less than a millisecond, and moving is not worth it.
constexpr std::size_t most_inline = 64 * 1024;

// Packs what a stream's producer writes. Every write is flushed: what the producer waits for next, the client
// may wait for, too.
class packing_sink final : public sink
{
public:
    packing_sink(int level, sink& out) : level_(level), out_(out) {}

    void write(std::string_view bytes) override
    {
        if (bytes.empty())
            return;
        if (!deflater_)
            deflater_.emplace(level_);
        for (; bytes.size() > most_inline; bytes.remove_prefix(most_inline)) {
            deflater_->write(bytes.substr(0, most_inline), packed_);
            send();
            fiber::yield();
        }
        deflater_->write(bytes, packed_);
        deflater_->flush(packed_);
        send();
    }

    void finish()
    {
        if (!deflater_)
            deflater_.emplace(level_);
        deflater_->finish(packed_);
        send();
    }

private:
    void send()
    {
        if (packed_.empty())
            return;
        out_.write(packed_);
        packed_.clear();
    }

    int level_;
    sink& out_;
    std::optional<gzip_deflater> deflater_; // from the first write on: until then it may fail as usual
    std::string packed_;
};

bool is_compressible(std::string_view content_type, const std::vector<std::string>& types)
{
    const std::string_view type = take_element(content_type, ';');
    for (const std::string_view one : types) {
        const bool is_group = one.ends_with("/*");
        if (same_name(is_group ? type.substr(0, one.size() - 1) : type,
                      is_group ? one.substr(0, one.size() - 1) : one))
            return true;
    }
    return false;
}

bool may_change(const response& answer, const compression_options& options)
{
    const status s = answer.status();
    return static_cast<unsigned>(s) >= 200 && s != status::no_content && s != status::reset_content &&
           s != status::partial_content && s != status::not_modified && !answer.is_abandoned() &&
           answer.header(field::content_encoding).empty() && answer.header(field::content_range).empty() &&
           !has_element(answer.header(field::cache_control), "no-transform") &&
           is_compressible(answer.header(field::content_type), options.types) &&
           (answer.is_streaming() || answer.body().size() >= options.least_bytes);
}

std::string pack(int level, std::string_view body)
{
    std::string packed;
    gzip_deflater deflater(level, body.size());
    deflater.write(body, packed);
    deflater.finish(packed);
    return packed;
}

// Nothing, if there was no time: then the answer, which may tell of what was written, goes out all the same.
std::optional<std::string> pack_aside(int level, std::string_view body)
{
    try {
        return fiber::compute([&] { return pack(level, body); });
    } catch (const deadline_exceeded&) {
    } catch (const cancelled&) {
    }
    return std::nullopt;
}

void weaken_tag(response& answer)
{
    const std::string_view tag = answer.header(field::etag);
    if (tag.starts_with('"'))
        answer.set_header(field::etag, "W/" + std::string(tag));
}

void say_packed(response& answer)
{
    answer.set_header(field::content_encoding, "gzip");
    weaken_tag(answer);
}

// Says of what the client has what its 200 has said. Source: RFC 9110 section 15.4.5.
void describe_as_packed(response& answer, bool is_packed)
{
    add_vary(answer, "Accept-Encoding");
    if (is_packed)
        weaken_tag(answer);
}

void compress(response& answer, const compression_options& options)
{
    if (answer.is_streaming()) {
        answer.set_producer([level = options.level, inner = answer.body_producer()](sink& out) {
            packing_sink packing(level, out);
            std::exception_ptr ended; // by the server's drain, perhaps: then what there is is the whole text
            try {
                inner(packing);
            } catch (const cancelled&) {
                ended = std::current_exception();
            }
            packing.finish();
            if (ended)
                std::rethrow_exception(ended);
        });
        say_packed(answer);
        return;
    }
    const bool is_small = answer.body().size() <= most_inline;
    std::optional<std::string> packed =
        is_small ? pack(options.level, answer.body()) : pack_aside(options.level, answer.body());
    if (!packed || packed->size() >= answer.body().size())
        return;
    answer.set_body(*std::move(packed));
    say_packed(answer);
}

} // namespace

middleware compression(compression_options options)
{
    if (options.level < 1 || options.level > 9)
        throw config_error("compression: level must be 1 to 9");
    return [options = std::make_shared<const compression_options>(std::move(options))](const request& req,
                                                                                       const handler& next) {
        response answer = next(req);
        if (answer.status() == status::not_modified && !answer.header(field::etag).empty())
            describe_as_packed(answer, prefers_gzip(req));
        if (!may_change(answer, *options))
            return answer;
        add_vary(answer, "Accept-Encoding");
        if (prefers_gzip(req))
            compress(answer, *options);
        return answer;
    };
}

} // namespace heddle::http
