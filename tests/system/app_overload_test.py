"""Ten times as many requests as a lane can serve: what fits is served, the rest is refused at once, and
afterwards all is as before. Open loop: a request falls due whatever became of those before it.

Usage: app_overload_test.py PROGRAM"""
import asyncio
import collections
import gc
import os
import re
import sys
import time

import app_serving

program = sys.argv[1]
CAPACITY = 80  # a second: 4 at a time, 50 ms each
SECONDS = 10 if os.environ.get('HEDDLE_REPEAT') == 'full' else 4
ATTEMPTS = 4  # a machine that is busy with something else spoils some; a server that cannot fails all
LENGTH = re.compile(rb'\r\ncontent-length: *(\d+)', re.I)

Outcome = collections.namedtuple('Outcome', 'status retry_after seconds ended')


class Connection(asyncio.Protocol):
    def __init__(self, load):
        self.load, self.buffer = load, b''

    def connection_made(self, transport):
        self.transport = transport

    def send(self, due):
        self.due = due
        self.transport.write(b'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')

    def data_received(self, data):
        self.buffer += data
        head, end, body = self.buffer.partition(b'\r\n\r\n')
        if not end or len(body) < int(LENGTH.search(head)[1]):
            return
        now = time.monotonic()
        self.load.outcomes.append(
            Outcome(int(head[9:12]), b'\r\nretry-after:' in head.lower(), now - self.due, now))
        self.buffer = b''
        self.load.idle.append(self)


class Load:
    def __init__(self):
        self.idle, self.outcomes = [], []

    async def run(self, port, rate, seconds):
        loop = asyncio.get_running_loop()
        for _ in range(64):
            self.idle.append((await loop.create_connection(lambda: Connection(self), '127.0.0.1', port))[1])
        everyone = list(self.idle)
        start = time.monotonic()
        sent = 0
        while sent < rate * seconds:
            due = start + sent / rate
            if (wait := due - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            if not self.idle:
                connection = (await loop.create_connection(lambda: Connection(self), '127.0.0.1', port))[1]
                everyone.append(connection)
                self.idle.append(connection)
            self.idle.pop(0).send(time.monotonic())
            sent += 1
        await asyncio.sleep(0.5)
        for connection in everyone:
            connection.transport.close()
        return start


def offer(server):
    """Ten times the capacity for some seconds. Returns goodput, outcomes, and a fresh request's answer."""
    load = Load()
    gc.disable()
    start = asyncio.run(load.run(server.port, 10 * CAPACITY, SECONDS))
    gc.enable()
    served_in_time = sum(one.status == 200 and one.ended <= start + SECONDS for one in load.outcomes)
    return served_in_time / SECONDS, load.outcomes, server.get('/slow')


def check_outcomes(outcomes, after):
    """What holds however busy the machine is."""
    by_status = collections.Counter(outcome.status for outcome in outcomes)
    assert set(by_status) == {200, 503}, by_status
    assert len(outcomes) == 10 * CAPACITY * SECONDS, 'every request is answered'
    assert all(one.retry_after for one in outcomes if one.status == 503)
    assert after.status == 200


def is_in_time(goodput, outcomes, after):
    """What other programs on the machine can spoil."""
    refused = sorted(one.seconds for one in outcomes if one.status == 503)
    slowest = max(one.seconds for one in outcomes if one.status == 200)
    p99 = refused[len(refused) * 99 // 100]
    print(f'goodput {goodput:.1f}/s of {CAPACITY}, slowest {slowest * 1000:.0f} ms; {len(refused)} refused: '
          f'{refused[len(refused) // 2] * 1000:.2f} ms (median), {p99 * 1000:.2f} ms (99 %), '
          f'{refused[-1] * 1000:.2f} ms (worst); the next in {after.seconds * 1000:.0f} ms', flush=True)
    return goodput >= 0.95 * CAPACITY and p99 < 0.02 and slowest < 0.3 and after.seconds < 0.1


def overload_is_refused_at_once_and_ends_with_the_load():
    with app_serving.Server(program, '{port}', 'overload.db', ready='/ping') as server:
        assert server.get('/slow').status == 200
        memory = server.rss()
        for attempt in range(ATTEMPTS):
            goodput, outcomes, after = offer(server)
            check_outcomes(outcomes, after)
            if is_in_time(goodput, outcomes, after):
                break
        else:
            raise AssertionError(f'not in time in any of {ATTEMPTS} attempts')
        grown = server.rss() - memory
        print(f'RSS +{grown // 1024} KiB')
        assert grown < 8 << 20
        assert server.terminate() == 0


app_serving.run(overload_is_refused_at_once_and_ends_with_the_load)
