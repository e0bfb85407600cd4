"""The write-ahead log under writes that never stop and readers that always overlap: FAULTS F13. A minute with its
full limit under HEDDLE_REPEAT=full, a few seconds with a small one otherwise."""
import random
import sys
import threading
import time

from lite_serving import Lite, Watch, at_once, post
from wire_app import repeats, run

MIB = 1024 * 1024
LIMIT = repeats(4, 64) * MIB
ONE_WRITE = 64 * 1024  # no transaction here adds more
SECONDS = repeats(6, 60)
PATIENCE = 60  # a slow machine takes longer to fill the log
RATE = 500  # writes a second, where the machine can do that many


class Log:
    """How long it gets, and how often it has begun anew."""

    def __init__(self, app):
        self.app, self.last, self.largest, self.renewals = app, 0, 0, 0

    def look(self):
        size = self.app.log_bytes()
        self.largest, self.renewals = max(self.largest, size), self.renewals + (size < self.last)
        self.last = size


def write(app, over, written, rate):
    client, body = app.client(), b'{"name": "%s", "n": 1}' % (b"x" * 1000)
    due = time.monotonic()
    while not over.is_set():
        answer = post(client, "/lite/item", body)
        assert answer.status in (201, 503), (answer.status, answer.body)
        if answer.status == 201:
            written.append(time.monotonic())
        due = max(due + 1 / rate, time.monotonic() - 0.1)
        time.sleep(max(0.0, due - time.monotonic()))
    client.close()


def read(app, over, seed):
    times, client, count = random.Random(seed), app.client(), 0
    while not over.is_set():
        answer = client.get(f"/lite/snapshot?ms={times.randint(300, 800)}")
        assert answer.status == 200, (answer.status, answer.body)
        count += 1
    client.close()
    return count


def longest_gap(times):
    ordered = sorted(times)
    return max(after - before for before, after in zip(ordered, ordered[1:]))


# FAULTS F13
def test_the_log_stays_within_its_limit(program):
    with Lite(program, request_budget=5000, log_limit=LIMIT) as app:
        log, written, over = Log(app), [], threading.Event()

        def work(i):
            try:
                if i < 4:
                    return write(app, over, written, RATE / 4)
                if i < 8:
                    return read(app, over, i)
                until = time.monotonic() + SECONDS
                while time.monotonic() < until or (log.renewals < 2 and time.monotonic() < until + PATIENCE):
                    time.sleep(0.05)
            finally:
                over.set()

        began = time.monotonic()
        with Watch(log.look) as watch:
            at_once(9, work)
        took = time.monotonic() - began

        stall = longest_gap(written)
        print(f"{len(written) / took:.0f} writes/s for {took:.0f} s beside 4 readers: the log at most "
              f"{log.largest / MIB:.1f} of {LIMIT / MIB:.0f} MiB, begun anew {log.renewals} times; the longest "
              f"time without a write {stall * 1000:.0f} ms, the machine's worst hiccup {watch.hiccup * 1000:.0f} ms")
        assert log.renewals >= 2
        assert log.largest <= LIMIT + ONE_WRITE
        assert stall < repeats(5, 1) + 5 * watch.hiccup
        assert app.log_bytes() <= LIMIT + ONE_WRITE


# FAULTS F13
def test_a_reader_that_would_stay_for_a_minute_is_ended_at_its_deadline(program):
    with Lite(program, request_budget=1000, log_limit=LIMIT) as app:
        began = time.monotonic()
        answer = app.get("/lite/snapshot?ms=60000")
        took = time.monotonic() - began
        print(f"{answer.status} after {took:.2f} s")
        assert answer.status == 504
        assert took < 5


run(sys.modules[__name__])
