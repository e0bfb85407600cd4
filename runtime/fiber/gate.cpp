// Admission first, because it answers at once; then the turn. A permit is built up as it goes, so that
// whatever happens on the way gives back exactly what was taken.
#include <heddle/fiber/gate.hpp>

#include <heddle/base/error.hpp>

namespace heddle::fiber {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;

void check_limits(const std::string& name, std::int64_t running, std::int64_t waiting, duration queue_wait)
{
    std::string wrong;
    if (running < 1)
        wrong += " running must be at least 1, not " + std::to_string(running) + ";";
    if (waiting < 0)
        wrong += " waiting must not be negative, not " + std::to_string(waiting) + ";";
    if (running > semaphore::max_capacity ||
        waiting > semaphore::max_capacity - std::max<std::int64_t>(running, 0))
        wrong += " running + waiting must be at most " + std::to_string(semaphore::max_capacity) + ";";
    if (queue_wait < duration::zero())
        wrong += " queue_wait must not be negative;";
    if (!wrong.empty())
        throw config_error("gate \"" + name + "\":" + wrong.substr(0, wrong.size() - 1));
}

gate_options checked(gate_options options)
{
    check_limits(options.name, options.running, options.waiting, options.queue_wait);
    return options;
}

} // namespace

gate::gate(gate_options options)
    : options_(checked(std::move(options))),
      slots_(options_.running + options_.waiting, options_.name.c_str()),
      turns_(options_.running, options_.name.c_str()),
      queue_wait_(options_.queue_wait)
{
}

gate::permit gate::enter()
{
    if (is_held_here(this))
        throw error(kind::internal,
                    "gate \"" + name() + "\": this fiber, or one that waits for it, is inside already");

    permit mine;
    auto slot = slots_.try_acquire();
    if (!slot)
        refuse_full();
    mine.slot_ = *std::move(slot);
    tell(gate_event::admitted);

    mine.turn_ = wait_for_turn(mine.waited_);
    if (!mine.turn_)
        refuse_late();
    mine.holding_ = holding(this, options_.name.c_str());
    mine.gate_ = this;
    entered_.fetch_add(1, relaxed);
    in_flight_.fetch_add(1, relaxed);
    tell(gate_event::running);
    return mine;
}

// Returns: an empty permit if the time was over first.
semaphore::permit gate::wait_for_turn(duration& waited)
{
    try {
        auto turn = turns_.try_acquire_for(duration::zero());
        if (!turn) {
            const auto begin = now();
            turn = turns_.try_acquire_for(queue_wait_.load(relaxed));
            waited = now() - begin;
        }
        return turn ? *std::move(turn) : semaphore::permit();
    } catch (const deadline_exceeded&) {
        return {}; // nothing of the work has begun: it is refused, not late
    } catch (const cancelled&) {
        cancelled_.fetch_add(1, relaxed);
        tell(gate_event::cancelled);
        throw;
    }
}

void gate::resize(std::int64_t running, std::int64_t waiting)
{
    check_limits(name(), running, waiting, duration::zero());
    slots_.resize(running + waiting);
    turns_.resize(running);
}

void gate::set_queue_wait(duration queue_wait)
{
    check_limits(name(), 1, 0, queue_wait);
    queue_wait_.store(queue_wait, relaxed);
}

gate_statistics gate::statistics() const noexcept
{
    return {
        .entered = entered_.load(relaxed),
        .full = full_.load(relaxed),
        .timed_out = timed_out_.load(relaxed),
        .cancelled = cancelled_.load(relaxed),
        .in_flight = in_flight_.load(relaxed),
        .queued = static_cast<std::int64_t>(turns_.waiting()),
    };
}

void gate::tell(gate_event event) const
{
    if (options_.on_event)
        options_.on_event(event);
}

void gate::refuse_full()
{
    full_.fetch_add(1, relaxed);
    tell(gate_event::full);
    throw overloaded(overloaded::why::full, "gate \"" + name() + "\" is full");
}

void gate::refuse_late()
{
    timed_out_.fetch_add(1, relaxed);
    tell(gate_event::timed_out);
    throw overloaded(overloaded::why::timed_out, "gate \"" + name() + "\": no turn in time");
}

void gate::refuse_empty(const std::string& name)
{
    throw error(kind::internal, "gate \"" + name + "\": nothing to run");
}

gate::permit& gate::permit::operator=(permit&& other) noexcept
{
    std::swap(gate_, other.gate_);
    std::swap(slot_, other.slot_);
    std::swap(turn_, other.turn_);
    std::swap(holding_, other.holding_);
    std::swap(waited_, other.waited_);
    return *this;
}

void gate::permit::release() noexcept
{
    holding_.end();
    auto* gate = std::exchange(gate_, nullptr);
    if (gate)
        gate->in_flight_.fetch_sub(1, relaxed);
    turn_.release();
    slot_.release();
    if (gate)
        gate->tell(gate_event::finished);
}

} // namespace heddle::fiber
