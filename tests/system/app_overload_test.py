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
        self.idle, self.outcomes, self.pause = [], [], 0.0

    async def watch_pauses(self):
        """The longest time for which the machine kept this client from running: no fault of the server's."""
        while True:
            due = time.monotonic() + 0.001
            await asyncio.sleep(0.001)
            self.pause = max(self.pause, time.monotonic() - due)

    async def run(self, port, rate, seconds):
        loop = asyncio.get_running_loop()
        for _ in range(64):
            self.idle.append((await loop.create_connection(lambda: Connection(self), '127.0.0.1', port))[1])
        everyone = list(self.idle)
        watch = loop.create_task(self.watch_pauses())
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
        watch.cancel()
        for connection in everyone:
            connection.transport.close()
        return start


def offer(server):
    """Ten times the capacity for some seconds. Returns the load, its goodput, and a fresh request's answer."""
    load = Load()
    gc.disable()
    start = asyncio.run(load.run(server.port, 10 * CAPACITY, SECONDS))
    gc.enable()
    served_in_time = sum(one.status == 200 and one.ended <= start + SECONDS for one in load.outcomes)
    return load, served_in_time / SECONDS, server.get('/slow')


def check_every_answer(outcomes):
    by_status = collections.Counter(outcome.status for outcome in outcomes)
    assert set(by_status) == {200, 503}, by_status
    assert len(outcomes) == 10 * CAPACITY * SECONDS, 'every request is answered'
    assert all(one.retry_after for one in outcomes if one.status == 503)


def check_times(load, goodput, after):
    refused = sorted(one.seconds for one in load.outcomes if one.status == 503)
    slowest = max(one.seconds for one in load.outcomes if one.status == 200)
    print(f'goodput {goodput:.1f}/s of {CAPACITY}, slowest {slowest * 1000:.0f} ms; {len(refused)} refused: '
          f'{refused[len(refused) // 2] * 1000:.2f} ms (median), {refused[len(refused) * 99 // 100] * 1000:.2f} ms '
          f'(99 %), {refused[-1] * 1000:.2f} ms (worst); the next in {after.seconds * 1000:.0f} ms; '
          f'the client itself paused for up to {load.pause * 1000:.2f} ms', flush=True)
    assert goodput >= 0.95 * CAPACITY
    assert refused[-1] < 0.02 + load.pause
    assert slowest < 0.25 + load.pause  # 12 inside, 4 at a time, 50 ms each: 150 ms
    assert after.status == 200 and after.seconds < 0.1 + load.pause


def overload_is_refused_at_once_and_ends_with_the_load():
    with app_serving.Server(program, '{port}', 'overload.db', ready='/ping') as server:
        assert server.get('/slow').status == 200
        memory = server.rss()
        load, goodput, after = offer(server)
        check_every_answer(load.outcomes)
        check_times(load, goodput, after)
        grown = server.rss() - memory
        print(f'RSS +{grown // 1024} KiB')
        assert grown < 8 << 20
        assert server.terminate() == 0


app_serving.run(overload_is_refused_at_once_and_ends_with_the_load)
