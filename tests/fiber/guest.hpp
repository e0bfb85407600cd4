// A fiber that a test starts, may cancel, and asks afterwards what became of it. Boost.Test's checks stay on
// the test's own thread: the fiber only notes what it saw.
#pragma once

#include <heddle/base/error.hpp>
#include <heddle/fiber/clock.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/testing/runtime.hpp>

#include <functional>
#include <memory>
#include <string>

namespace heddle::testing {

// How `body` ended, in one word; an unexpected exception's text after "error: ".
inline std::string outcome_of(const std::function<void()>& body)
{
    try {
        body();
        return "done";
    } catch (const overloaded& refusal) {
        switch (refusal.why()) {
        case overloaded::why::full:
            return "full";
        case overloaded::why::timed_out:
            return "timed out";
        case overloaded::why::pool:
            return "no connection";
        case overloaded::why::draining:
            return "draining";
        }
        return "overloaded";
    } catch (const deadline_exceeded&) {
        return "deadline";
    } catch (const cancelled&) {
        return "cancelled";
    } catch (const config_error& refusal) {
        return std::string("refused: ") + refusal.what();
    } catch (const std::exception& failure) {
        return std::string("error: ") + failure.what();
    } catch (...) {
        return "thrown";
    }
}

class guest
{
public:
    // Starts when the test lets fibers run. `budget`: its scope's time.
    guest(runtime& runtime, std::function<void()> body, fiber::duration budget = fiber::duration::max())
    {
        runtime.spawn([s = state_, body = std::move(body), budget] {
            const auto begin = fiber::now();
            {
                fiber::scope mine({.deadline = fiber::after(budget)});
                s->scope = &mine;
                s->outcome = outcome_of(body);
                s->scope = nullptr;
            }
            s->took = fiber::now() - begin;
        });
    }

    // "waits" until it has ended.
    const std::string& outcome() const { return state_->outcome; }
    bool waits() const { return state_->outcome == "waits"; }
    std::int64_t milliseconds() const { return state_->took / std::chrono::milliseconds(1); }

    void cancel()
    {
        if (state_->scope)
            state_->scope->cancel();
    }

private:
    struct state
    {
        fiber::scope* scope = nullptr;
        std::string outcome = "waits";
        fiber::duration took = fiber::duration::zero();
    };

    std::shared_ptr<state> state_ = std::make_shared<state>();
};

} // namespace heddle::testing
