"""The wall clock is set by an hour, forwards and back, while requests run and wait: nothing but dates follows it.
FAULTS F26, with libfaketime, which moves CLOCK_REALTIME alone. Usage: ... HEDDLE"""
import email.utils
import glob
import os
import socket
import subprocess
import sys
import threading
import time

import app_serving
import clients
from app_serving import Server, ask_services, becomes, request

heddle = sys.argv[1]
url = os.environ['HEDDLE_TEST_POSTGRES']
library = clients.file_of('libfaketime', *glob.glob('/usr/lib/*/faketime/libfaketimeMT.so.1'))
NAME = 'clock'
# The lock's own budget is far off: it would end in the same moment as the request's.
FLAGS = ('--database.pool_size=1', '--database.acquire_budget=1300ms', '--database.lock_budget=10s',
         '--lane.write.running=1', '--lane.write.queue_wait=1s', '--http.request_budget=2s', '--http.header_time=1500ms',
         '--http.idle_time=1700ms')


class Clock:
    """What the server takes for the time of day: so many seconds off."""

    def __init__(self, directory):
        self.path = os.path.join(directory, 'offset')
        self.set(0)
        self.environment = {'LD_PRELOAD': library, 'FAKETIME_TIMESTAMP_FILE': self.path, 'FAKETIME_NO_CACHE': '1',
                            'FAKETIME_DONT_FAKE_MONOTONIC': '1', 'DONT_FAKE_MONOTONIC': '1'}

    def set(self, seconds):
        with open(self.path + '.new', 'w', encoding='ascii') as file:
            file.write(f'{seconds:+d}\n')
        os.rename(self.path + '.new', self.path)


class Lock:
    """Whoever reads orders waits, until the end of the `with`."""

    def __enter__(self):
        words = dict(word.split('=') for word in url.split())
        self.process = subprocess.Popen(
            ['psql', '-XAtq', '-h', words['host'], '-p', words['port'], '-U', words['user'], '-d', NAME],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write("BEGIN; LOCK TABLE orders; SELECT 'locked';\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == 'locked\n'
        return self

    def __exit__(self, *_):
        self.process.communicate('ROLLBACK;\n', timeout=20)


def until_closed(one, data):
    """How a connection ends that says `data` and no more: the last status that it is told."""
    with socket.create_connection(('127.0.0.1', one.port), 30) as client:
        client.sendall(data)
        said = b''
        while more := client.recv(4096):
            said += more
        return int(said[said.rindex(b'HTTP/1.1 ') + 9:][:3])


TEA = b'{"customer_id": 7, "sku": "tea", "quantity": 1}'
JSON = {'Content-Type': 'application/json'}
# In this order: the first has the only connection, and waits for the lock; the third has the only place.
SITUATIONS = {
    'has the connection': lambda one: one.get('/orders/1/state', timeout=30).status,
    'waits for a connection': lambda one: one.get('/orders/2/state', timeout=30).status,
    'has the place': lambda one: request(one.port, 'POST', '/orders', TEA, JSON, timeout=30).status,
    'waits in the queue': lambda one: request(one.port, 'POST', '/orders', TEA, JSON, timeout=30).status,
    'runs': lambda one: one.get('/sleep?ms=1600', timeout=30).status,
    'sends a slow head': lambda one: until_closed(one, b'GET /hello HTTP/1.1\r\nHost: a\r\nX: '),
    'is idle': lambda one: until_closed(one, b'GET /hello HTTP/1.1\r\nHost: a\r\n\r\n'),
}
RIGHT = {'has the connection': 504, 'waits for a connection': 503, 'has the place': 503, 'waits in the queue': 503,
         'runs': 200, 'sends a slow head': 408, 'is idle': 200}


def all_situations(one, clock, jump):
    """{situation: (status, seconds)}, with the clock set when all have begun."""
    outcomes, others, over = {}, [], threading.Event()

    def measure(name, do):
        began = time.monotonic()
        outcomes[name] = (do(one), time.monotonic() - began)

    def ask():
        while not over.is_set():
            others.append(one.get('/hello', timeout=30).status)
            time.sleep(0.02)

    with Lock():
        threads = [threading.Thread(target=measure, args=item) for item in SITUATIONS.items()]
        threads.append(threading.Thread(target=ask))
        for thread in threads:
            thread.start()
            time.sleep(0.1)
        clock.set(jump)
        for thread in threads[:-1]:
            thread.join()
        over.set()
        threads[-1].join()
    assert set(outcomes) == set(SITUATIONS), outcomes
    assert set(others) == {200}, others
    date = email.utils.parsedate_to_datetime(one.get('/hello').headers['Date']).timestamp()
    assert abs(date - time.time() - jump) < 30, (date, time.time(), jump)
    becomes(lambda: one.get('/orders/1/state').status == 200, one)
    return outcomes


def an_hour_forwards_and_back():
    ask_services(f'sql CREATE DATABASE {NAME}')
    one = Server(heddle, 'serve', '--http.port={port}', *FLAGS)
    clock = Clock(one.directory.name)
    one.environment |= clock.environment | {
        'HEDDLE_DATABASE_URL': url.replace('dbname=postgres', f'dbname={NAME}')}
    with one:
        usual = all_situations(one, clock, 0)
        opened = [one.metric('heddle_pool_opened_total')]
        for jump in (3600, -3600):
            with_jump = all_situations(one, clock, jump)
            opened.append(one.metric('heddle_pool_opened_total'))
            for name, (status, seconds) in with_jump.items():
                print(f'  {jump:+d} s, {name}: {status} after {seconds:.2f} s, usually {usual[name][1]:.2f} s')
                assert status == RIGHT[name] == usual[name][0], (name, status, usual[name])
                # A tenth, and what a busy machine may add to any of them.
                assert abs(seconds - usual[name][1]) <= 0.1 * usual[name][1] + 0.25, (name, seconds, usual[name])
        assert max(opened[1] - opened[0], opened[2] - opened[1]) <= 1, f'the pool was emptied: {opened}'
        clock.set(0)
        assert one.terminate() == 0


app_serving.run(an_hour_forwards_and_back)
