"""Permits and places before PostgreSQL, as clients see them: FAULTS F01, F02."""
import collections
import concurrent.futures
import os
import random
import selectors
import socket
import statistics
import sys
import threading
import time

from lite_serving import Watch, at_once
from wire_app import App, repeats, run, wait_for

POOL = 4  # pg_app's


def sql(text):
    """See services.hpp."""
    with socket.socket(socket.AF_UNIX) as services:
        services.connect(os.environ["HEDDLE_TEST_SERVICES"])
        services.sendall(f"sql {text}\n".encode())
        answer = services.makefile().readline().rstrip("\n")
    assert not answer.startswith("failed"), answer
    return answer


class Pg(App):
    def __init__(self, program, running, waiting, **options):
        self.admitted = running + waiting
        self.name = f"bulkhead_{options.get('workers', 0)}"  # to its server
        database = os.environ["HEDDLE_TEST_POSTGRES"] + f" application_name={self.name}"
        super().__init__(program, database=database, running=running, waiting=waiting, **options)

    def slow(self, ms, deadline=None):
        return self.get(f"/pg/slow?ms={ms}" + (f"&deadline={deadline}" if deadline else ""))

    def rest(self):
        super().rest()
        backends = f"SELECT count(*) FROM pg_stat_activity WHERE application_name = '{self.name}'"
        assert int(sql(backends)) <= POOL
        wait_for(lambda: sql(backends + " AND state <> 'idle'") == "0", "a backend is at work")
        answers = at_once(self.admitted, lambda _: self.slow(100).status)
        assert answers == [200] * self.admitted, answers
        wait_for(lambda: self.get("/working").body == b"0", "a permit is left")


def slack(watch):
    """What a bound is given on top: the machine's worst hiccup, of which a request may meet several."""
    return 5 * max(watch.hiccup, 0.02)


def timed(work):
    began = time.monotonic()
    return work(), time.monotonic() - began


def reset_after(app, target, seconds):
    client = app.client()
    client.send(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    time.sleep(seconds)
    client.reset()


def waiters_that_give_up(app, rounds):
    """Two requests hold both permits; each round, one waiter has 200 ms and the other goes away after 100 ms.
    Returns the first ones' answers, with the seconds they took."""
    holders = threading.Thread(target=at_once, args=(2, lambda _: app.slow(3000).status))
    holders.start()
    wait_for(lambda: int(app.get("/working").body) == 4, "both permits and connections are taken")
    answers = []
    for _ in range(rounds):
        gone = threading.Thread(target=reset_after, args=(app, "/pg/slow?ms=0", 0.1))
        gone.start()
        answers.append(timed(lambda: app.slow(0, deadline=200)))
        gone.join()
    holders.join()
    return answers


# FAULTS F01
def test_a_waiter_that_gives_up_keeps_no_place(program):
    with Pg(program, running=2, waiting=2, request_budget=10_000) as app, Watch() as watch:
        answers = []
        for _ in range(repeats(1, 5)):
            answers += waiters_that_give_up(app, 10)
        late = max(seconds for _, seconds in answers) - 0.2
        print(f"{len(answers)} waiters: the latest {late * 1000:.0f} ms after its deadline, the machine's "
              f"worst hiccup {watch.hiccup * 1000:.0f} ms")
        for answer, seconds in answers:
            assert answer.status == 503 and answer.field("retry-after"), answer.status
            assert 0.199 <= seconds < 0.25 + slack(watch), seconds

        thrown = [app.get("/pg/throw").status for _ in range(repeats(10, 50))]
        assert set(thrown) == {500}, collections.Counter(thrown)
        for _ in range(repeats(5, 25)):
            assert at_once(2, lambda _: app.slow(3000, deadline=200).status) == [504, 504]


class Round:
    """A has the permit for 100 ms; W1 waits, and gives up at about A's end; W2 waits behind it."""

    def __init__(self, app):
        self.clients = {name: app.client() for name in ("A", "W1", "W2")}
        self.ended, self.status = {}, {}

    def send(self, name, target):
        self.clients[name].send(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())

    def answers(self):
        self.ended, self.status = {}, {}
        with selectors.DefaultSelector() as ready:
            for name, client in self.clients.items():
                ready.register(client.socket, selectors.EVENT_READ, name)
            while len(self.ended) < 3:
                for key, _ in ready.select(10):
                    self.ended[key.data] = time.monotonic()
                    self.status[key.data] = self.clients[key.data].answer().status
                    ready.unregister(key.fileobj)

    def run(self, usual):
        self.send("A", "/pg/slow?ms=100")
        time.sleep(0.01)
        deadline = 1000 * usual - 10 + random.uniform(-2, 2)
        self.send("W1", f"/pg/slow?ms=0&deadline={deadline:.3f}")
        time.sleep(0.005)
        self.send("W2", "/pg/slow?ms=0&deadline=5000")
        self.answers()
        before = self.ended["A"]
        if self.status["W1"] != 503:  # it had the permit
            before = max(before, self.ended["W1"])
        return self.ended["W2"] - before

    def close(self):
        for client in self.clients.values():
            client.close()


def meetings(program, workers, count):
    with Pg(program, running=1, waiting=2, workers=workers, request_budget=10_000) as app:
        usual = statistics.median(timed(lambda: app.slow(100))[1] for _ in range(5))
        late, first = [], collections.Counter()
        with Watch() as watch:
            one = Round(app)
            for _ in range(count):
                late.append(one.run(usual))
                assert one.status["A"] == one.status["W2"] == 200, one.status
                first[one.status["W1"]] += 1
            one.close()
        print(f"{workers} workers, {count} times: W1 {dict(first)}, W2 ended "
              f"{statistics.median(late) * 1000:.1f} ms after the one before it, at most "
              f"{max(late) * 1000:.1f} ms; the machine's worst hiccup {watch.hiccup * 1000:.0f} ms")
        assert set(first) <= {200, 503, 504}
        assert max(late) < 0.02 + slack(watch)  # a wake-up that is lost takes until W2's deadline


# FAULTS F02. Most of the time they wait, so they do it side by side.
def test_a_release_that_meets_a_cancellation_wakes_the_next_with_one_worker_and_with_four(program):
    with concurrent.futures.ThreadPoolExecutor(2) as both:
        for one in [both.submit(meetings, program, workers, repeats(30, 1000)) for workers in (1, 4)]:
            one.result()


run(sys.modules[__name__])
