"""Orders that are sent again with their Idempotency-Key, over HTTP. Usage: ... HEDDLE

Over SQLite; or, where services/with_postgres.py has started it, by two servers over one PostgreSQL.
"""
import collections
import concurrent.futures
import contextlib
import os
import socket
import sys
import time
import uuid

import app_serving
from app_serving import Server

heddle = sys.argv[1]
postgres = os.environ.get('HEDDLE_TEST_POSTGRES')


def ask_services(command):
    """See services.hpp."""
    with socket.socket(socket.AF_UNIX) as services:
        services.connect(os.environ['HEDDLE_TEST_SERVICES'])
        services.sendall(f'{command}\n'.encode())
        answer = services.makefile().readline().rstrip('\n')
    assert not answer.startswith('failed'), answer
    return answer


@contextlib.contextmanager
def servers(name):
    """Those that there are, over an empty database."""
    environment, count = {}, 1
    if postgres:
        ask_services(f'sql CREATE DATABASE {name}')
        environment, count = {'HEDDLE_DATABASE_URL': postgres.replace('dbname=postgres', f'dbname={name}')}, 2
    with contextlib.ExitStack() as started:
        command = [heddle, 'serve', '--http.port={port}', '--database.sample_orders=0']
        yield [started.enter_context(Server(*command, environment=environment)) for _ in range(count)]


def order(one, key, quantity=2):
    return one.post('/orders', {'customer_id': 7, 'sku': 'tea', 'quantity': quantity},
                    headers={'Idempotency-Key': key})


def order_at_last(one, key):
    """Comes back as long as it is told to."""
    deadline = time.monotonic() + 60
    while True:
        answer = order(one, key)
        if answer.status == 201:
            return answer
        assert answer.status in (409, 503) and answer.headers['Retry-After'], (answer.status, answer.body)
        assert time.monotonic() < deadline, 'nothing but refusals for a minute'
        time.sleep(0.01)


def of_many_at_once_one_is_placed():
    keys = [str(uuid.uuid4()) for _ in range(12)]
    copies = 12
    with servers('at_once') as started, concurrent.futures.ThreadPoolExecutor(24) as pool:
        asked = [(started[i % len(started)], key) for key in keys for i in range(copies)]
        answers = list(pool.map(lambda one: order_at_last(*one), asked))
        bodies = collections.defaultdict(set)
        firsts = collections.Counter()
        for (_, key), answer in zip(asked, answers):
            bodies[key].add((answer.headers['Location'], answer.body))
            firsts[key] += answer.headers['Idempotency-Replayed'] != 'true'
        assert all(len(told) == 1 for told in bodies.values()), bodies
        assert all(firsts[key] == 1 for key in keys), firsts
        placed = [one['id'] for one in started[0].get('/orders?limit=100').json()['orders']]
        told = sorted(int(location.split('/')[-1]) for ((location, _),) in bodies.values())
        assert placed == told and len(placed) == len(keys), (placed, told)


def a_key_is_for_one_order():
    with servers('one_order') as started:
        assert order(started[0], 'k1').status == 201
        assert order(started[-1], '"k1"').headers['Idempotency-Replayed'] == 'true'
        another = order(started[-1], 'k1', quantity=3)
        assert another.status == 422, another.body
        assert another.json()['type'] == 'urn:heddle:idempotency-key-reused', another.body
        for key in ('', 'two words', '"', 'k' * 256):
            assert order(started[0], key).status == 400, key


app_serving.run(of_many_at_once_one_is_placed, a_key_is_for_one_order)
