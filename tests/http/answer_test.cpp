// What was thrown, as the client sees it: each row of the table.

#include <boost/test/unit_test.hpp>

#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/http/answer.hpp>
#include <heddle/http/problem.hpp>
#include <heddle/http/reply.hpp>
#include <heddle/testing/runtime.hpp>

#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace http = heddle::http;
using heddle::kind;

namespace {

struct answers_fixture
{
    std::vector<std::string> logged;
    heddle::log::capture capture{[this](heddle::log::level level, std::string_view line) {
        const char* const names[] = {"info ", "warn ", "error "};
        logged.push_back(names[static_cast<int>(level)] + std::string(line));
    }};
    http::request req = http::get("/orders");

    template <class F>
    http::response answer_of(F f)
    {
        return http::answer(req, [f](const http::request&) -> http::response {
            f();
            return http::reply("the handler's own");
        });
    }

    http::response answer_to(kind kind)
    {
        return answer_of([kind] { throw heddle::error(kind, "secret: SELECT at db.internal"); });
    }
};

unsigned status_of(const http::response& answer)
{
    return static_cast<unsigned>(answer.status());
}

std::string type_of(const http::response& answer)
{
    return answer.json<http::problem>().type;
}

bool tells_to_come_back(const http::response& answer)
{
    return !answer.header(http::field::retry_after).empty();
}

bool is_secret_kept(const http::response& answer)
{
    return answer.body().find("secret") == std::string_view::npos;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(an_answer, answers_fixture)

BOOST_AUTO_TEST_CASE(is_the_handlers_own_when_nothing_was_thrown)
{
    const auto answer = answer_of([] {});

    BOOST_TEST(status_of(answer) == 200U);
    BOOST_TEST(answer.body() == "the handler's own");
    BOOST_TEST(logged.empty());
}

BOOST_AUTO_TEST_CASE(to_overload_is_503_whatever_the_reason)
{
    using heddle::overloaded;
    std::vector<std::string> details;
    for (const auto why : {overloaded::why::full, overloaded::why::timed_out, overloaded::why::pool,
                           overloaded::why::draining}) {
        const auto answer = answer_of([why] { throw overloaded(why, "secret", std::chrono::seconds(3)); });
        BOOST_TEST(status_of(answer) == 503U);
        BOOST_TEST(answer.header(http::field::retry_after) == "3");
        BOOST_TEST(answer.header(http::field::content_type) == "application/problem+json");
        BOOST_TEST(is_secret_kept(answer));
        details.push_back(answer.json<http::problem>().detail);
    }
    BOOST_TEST(details.at(0) != details.at(1));
    BOOST_TEST(
        logged.empty()); // a flood of refusals is counted by its gate, and must not become a flood of lines
}

BOOST_AUTO_TEST_CASE(to_a_missing_dependency_is_503)
{
    const auto answer = answer_to(kind::unavailable);

    BOOST_TEST(status_of(answer) == 503U);
    BOOST_TEST(tells_to_come_back(answer));
    BOOST_TEST(is_secret_kept(answer));
}

BOOST_AUTO_TEST_CASE(to_a_conflict_is_503_with_its_own_type)
{
    const auto answer = answer_to(kind::conflict);

    BOOST_TEST(status_of(answer) == 503U);
    BOOST_TEST(type_of(answer) == "urn:heddle:conflict");
    BOOST_TEST(tells_to_come_back(answer));
    BOOST_TEST(is_secret_kept(answer));
}

BOOST_AUTO_TEST_CASE(to_a_passed_deadline_is_504)
{
    const auto answer = answer_of([] { throw heddle::deadline_exceeded(); });

    BOOST_TEST(status_of(answer) == 504U);
    BOOST_TEST(!tells_to_come_back(answer));
}

BOOST_AUTO_TEST_CASE(to_a_failed_upstream_is_502_or_504)
{
    BOOST_TEST(status_of(answer_to(kind::upstream)) == 502U);
    BOOST_TEST(status_of(answer_to(kind::upstream_timeout)) == 504U);
    BOOST_TEST(is_secret_kept(answer_to(kind::upstream)));
}

BOOST_AUTO_TEST_CASE(to_what_cannot_be_read_is_400_and_says_where)
{
    const auto answer = answer_of([] { throw http::bad_request("/quantity", "must be a number"); });

    BOOST_TEST(status_of(answer) == 400U);
    BOOST_TEST(answer.json<http::problem>().errors.at(0).pointer == "/quantity");
    BOOST_TEST(answer.json<http::problem>().errors.at(0).detail == "must be a number");
    BOOST_TEST(status_of(answer_to(kind::value)) == 400U);
    BOOST_TEST(answer_to(kind::value).json<http::problem>().errors.size() == 1U);
    BOOST_TEST(is_secret_kept(answer_to(kind::value)));
    BOOST_TEST(logged.empty());
}

BOOST_AUTO_TEST_CASE(to_a_rejection_is_what_it_carries)
{
    const auto rejected = [this](http::status status) {
        return status_of(answer_of([status] { throw http::rejected(http::problem{status, ""}); }));
    };
    BOOST_TEST(rejected(http::status::payload_too_large) == 413U);
    BOOST_TEST(rejected(http::status::unsupported_media_type) == 415U);
    BOOST_TEST(rejected(http::status::unprocessable_entity) == 422U);
    BOOST_TEST(logged.empty());
}

BOOST_AUTO_TEST_CASE(to_a_violated_constraint_is_409)
{
    const auto answer = answer_to(kind::constraint);

    BOOST_TEST(status_of(answer) == 409U);
    BOOST_TEST(is_secret_kept(answer));
    BOOST_TEST(logged.empty());
}

BOOST_AUTO_TEST_CASE(to_an_unknown_outcome_is_500_with_its_own_type)
{
    const auto answer = answer_to(kind::outcome_unknown);

    BOOST_TEST(status_of(answer) == 500U);
    BOOST_TEST(type_of(answer) == "urn:heddle:commit-unknown");
    BOOST_TEST(!tells_to_come_back(answer));
    BOOST_TEST(is_secret_kept(answer));
}

BOOST_AUTO_TEST_CASE(to_anything_else_is_500_without_details)
{
    struct no_exception
    {
    };
    const http::response answers[] = {
        answer_to(kind::internal),
        answer_of([] { throw std::runtime_error("secret"); }),
        answer_of([] { throw std::string("secret"); }),
        answer_of([] { throw 42; }),
        answer_of([] { throw no_exception{}; }),
    };
    for (const http::response& answer : answers) {
        BOOST_TEST(status_of(answer) == 500U);
        BOOST_TEST(is_secret_kept(answer));
        BOOST_TEST(!tells_to_come_back(answer));
    }
}

BOOST_AUTO_TEST_CASE(to_a_cancelled_request_is_none)
{
    BOOST_TEST(answer_of([] { throw heddle::cancelled(); }).is_abandoned());
    BOOST_TEST(answer_to(kind::cancelled).is_abandoned());
    BOOST_TEST(!answer_to(kind::internal).is_abandoned());
}

// FAULTS F28
BOOST_AUTO_TEST_CASE(of_500_is_logged_once_with_cause_and_id)
{
    req.set_request_id("r-17");

    const auto answer = answer_of([] { throw std::runtime_error("secret"); });

    BOOST_TEST(answer.json<http::problem>().request_id == "r-17");
    BOOST_TEST_REQUIRE(logged.size() == 1U);
    BOOST_TEST(logged[0].find("error ") == 0U);
    BOOST_TEST(logged[0].find("secret") != std::string::npos);
    BOOST_TEST(logged[0].find("r-17") != std::string::npos);
}

// SEMANTICS 101: what failed beside an answer that blames nobody is not lost
BOOST_AUTO_TEST_CASE(of_an_error_whose_undo_failed_is_logged_whatever_it_is)
{
    for (const auto what : {kind::constraint, kind::conflict, kind::cancelled, kind::value, kind::overloaded})
        answer_of([what] {
            heddle::error failure(what, "the first");
            failure.attach_failed_undo("rollback: the second");
            throw failure;
        });
    answer_of([] {
        heddle::overloaded failure(heddle::overloaded::why::full, "the first");
        failure.attach_failed_undo("rollback: the second");
        throw failure;
    });

    BOOST_TEST(logged.size() == 6U);
    for (const auto& line : logged)
        BOOST_TEST(line.find("the first; and then rollback: the second") != std::string::npos, line);
}

BOOST_AUTO_TEST_CASE(of_502_is_logged_as_a_warning)
{
    answer_to(kind::upstream);

    BOOST_TEST_REQUIRE(logged.size() == 1U);
    BOOST_TEST(logged[0].find("warn ") == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(an_answer_after_a_commit, answers_fixture)

// SEMANTICS 113
BOOST_AUTO_TEST_CASE(is_500_partly_done_whatever_was_thrown)
{
    heddle::testing::runtime runtime;
    for (const auto what :
         {kind::overloaded, kind::unavailable, kind::conflict, kind::constraint, kind::deadline,
          kind::outcome_unknown, kind::upstream, kind::value, kind::internal}) {
        heddle::fiber::scope scope{{}};
        const auto answer = answer_of([&] {
            heddle::fiber::scope::current()->note_commit();
            throw heddle::error(what, "secret");
        });
        BOOST_TEST_CONTEXT("kind " << static_cast<int>(what))
        {
            BOOST_TEST(status_of(answer) == 500U);
            BOOST_TEST(type_of(answer) == "urn:heddle:partly-done");
            BOOST_TEST(!tells_to_come_back(answer));
            BOOST_TEST(is_secret_kept(answer));
        }
    }
    BOOST_TEST(logged.size() == 9U);
}

BOOST_AUTO_TEST_CASE(is_500_partly_done_for_a_full_gate)
{
    heddle::testing::runtime runtime;
    heddle::fiber::scope scope{{}};
    const auto answer = answer_of([] {
        heddle::fiber::scope::current()->note_commit();
        throw heddle::overloaded(heddle::overloaded::why::full, "");
    });

    BOOST_TEST(type_of(answer) == "urn:heddle:partly-done");
    BOOST_TEST(!tells_to_come_back(answer));
}

// SEMANTICS 103: the handler has caught it, and then failed otherwise
BOOST_AUTO_TEST_CASE(whose_outcome_is_unknown_is_500_commit_unknown_whatever_was_thrown)
{
    heddle::testing::runtime runtime;
    for (const auto what : {kind::overloaded, kind::unavailable, kind::conflict, kind::outcome_unknown}) {
        heddle::fiber::scope scope{{}};
        const auto answer = answer_of([&] {
            heddle::fiber::scope::current()->note_unknown_commit();
            throw heddle::error(what, "secret");
        });
        BOOST_TEST_CONTEXT("kind " << static_cast<int>(what))
        {
            BOOST_TEST(status_of(answer) == 500U);
            BOOST_TEST(type_of(answer) == "urn:heddle:commit-unknown");
            BOOST_TEST(!tells_to_come_back(answer));
            BOOST_TEST(is_secret_kept(answer));
        }
    }
}

BOOST_AUTO_TEST_CASE(stays_the_handlers_own_value)
{
    heddle::testing::runtime runtime;
    heddle::fiber::scope scope{{}};
    const auto answer = http::answer(req, [](const http::request&) {
        heddle::fiber::scope::current()->note_commit();
        return http::reply(http::problem{http::status::conflict, "its own"});
    });

    BOOST_TEST(status_of(answer) == 409U);
}

BOOST_AUTO_TEST_CASE(forgets_the_commit_with_the_scope)
{
    heddle::testing::runtime runtime;
    {
        heddle::fiber::scope first{{}};
        answer_of([] { heddle::fiber::scope::current()->note_commit(); });
    }
    heddle::fiber::scope second{{}};

    BOOST_TEST(status_of(answer_to(kind::conflict)) == 503U);
}

BOOST_AUTO_TEST_SUITE_END()
