"""Orders that are sent again with their Idempotency-Key, over HTTP. Usage: ... HEDDLE

Over SQLite; or, where services/with_postgres.py has started it, by two servers over one PostgreSQL.
"""
import collections
import concurrent.futures
import contextlib
import os
import subprocess
import sys
import threading
import time
import uuid

import app_serving
from app_serving import ask_services, Server

heddle = sys.argv[1]
postgres = os.environ.get('HEDDLE_TEST_POSTGRES')


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


def every_order_is_placed_once_whatever_is_cut():
    """COMMITs that arrive and whose answer does not, and those that do not arrive, while clients ask again."""
    ask_services('sql CREATE DATABASE cut_off')
    relay = os.environ['HEDDLE_TEST_RELAY'].replace('dbname=postgres', 'dbname=cut_off')
    told, unknown, over = {}, collections.Counter(), threading.Event()

    def place(one, key):
        deadline = time.monotonic() + 120
        while (answer := order(one, key)).status != 201:
            assert answer.status in (409, 500, 503, 504), (answer.status, answer.body)
            if answer.status == 500:
                kind = answer.json()['type']
                assert kind == 'urn:heddle:commit-unknown', answer.body
                unknown[key] += 1
            assert time.monotonic() < deadline, f'{key} was not placed in two minutes'
            time.sleep(0.01)
        told[key] = answer

    def cut():
        while not over.is_set():
            for how in ('before', 'after'):
                over.wait(0.05)
                ask_services(f'cut-{how} COMMIT')

    with contextlib.ExitStack() as started:
        command = [heddle, 'serve', '--http.port={port}', '--database.sample_orders=0']
        both = [started.enter_context(Server(*command, environment={'HEDDLE_DATABASE_URL': relay})) for _ in range(2)]
        ask_services('cut-after COMMIT')  # the first one's
        with concurrent.futures.ThreadPoolExecutor(9) as pool:
            cutting = pool.submit(cut)
            keys = [f'order {i}' for i in range(150)]
            placing = [pool.submit(place, both[i % 2], f'"{key}"') for i, key in enumerate(keys)]
            try:
                for one in placing:
                    one.result()
            finally:
                over.set()
            cutting.result()
        replayed = sum(answer.headers['Idempotency-Replayed'] == 'true' for answer in told.values())
        print(f'{len(keys)} orders: {sum(unknown.values())} outcomes unknown, {replayed} told again')
        locations = sorted(answer.headers['Location'] for answer in told.values())
        placed = sql_in('cut_off', "SELECT '/orders/' || id FROM orders").split()
        assert locations == sorted(placed), (locations, placed)
        assert len(placed) == len(keys) and unknown and replayed, (len(placed), unknown, replayed)
        lonely = sql_in('cut_off', 'SELECT count(*) FROM orders WHERE NOT EXISTS '
                                   '(SELECT FROM order_items WHERE order_id = orders.id)')
        assert lonely == '0', lonely


def sql_in(database, text):
    return subprocess.run(['psql', '-XAtqd', postgres.replace('dbname=postgres', f'dbname={database}'), '-c', text],
                          check=True, capture_output=True, text=True).stdout.strip()


on_postgres = [every_order_is_placed_once_whatever_is_cut] if postgres else []
app_serving.run(of_many_at_once_one_is_placed, a_key_is_for_one_order, *on_postgres)
