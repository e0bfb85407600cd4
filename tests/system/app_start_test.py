"""What the server does where its database is not there when it starts, or goes away later. Usage: ... HEDDLE SERVICES"""
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time

import app_serving
from app_serving import Server, becomes

heddle, services = map(os.path.abspath, sys.argv[1:])
sys.path.insert(0, services)
import postgres  # noqa: E402


def address():
    return f'host=127.0.0.1 port={server.port} user=postgres dbname=postgres'


def serving(url, *flags, **options):
    options = {'ready': '/healthz'} | options
    return Server(heddle, 'serve', '--http.port={port}', f'--database.url={url}', *flags, **options)


def start_and_end(*flags):
    return subprocess.run([heddle, 'serve', '--http.port=0', *flags], capture_output=True, text=True,
                          timeout=60, env=app_serving.clean_environment())


# FAULTS F03
def a_database_that_comes_later_is_waited_for():
    with serving(address(), '--database.acquire_budget=1min', '--http.request_budget=1min',
                 '--database.sample_orders=100') as one:
        becomes(lambda: 'cannot be opened' in one.output(), one)
        for path in ('/orders/1', '/orders?limit=1', '/reports/sales?since=2025-06-01', '/customers/1'):
            refused = one.get(path)
            assert refused.status == 503 and int(refused.headers['Retry-After']) > 0, (path, refused.body)
        assert order_tea(one).status == 503
        not_ready = one.get('/readyz')
        assert not_ready.status == 503 and b'the database cannot be had' in not_ready.body, not_ready.body
        assert one.get('/healthz').status == one.get('/hello').status == 200
        assert one.output().count('cannot be opened') == 1, one.output()

        server.start()
        came = time.monotonic()
        becomes(lambda: one.get('/readyz').status == 200, one)
        waited = time.monotonic() - came
        print(f'ready {waited:.1f} s after the database')
        assert waited < 10, 'to be 2 s on a machine that does nothing else'
        assert order_tea(one).json()['id'] == 101
        assert one.terminate() == 0


def one_that_goes_and_comes_back_is_found_again():
    server.stop()
    with serving(address()) as one:
        for _ in range(2):
            becomes(lambda: one.get('/readyz').status == 503, one)
            assert one.get('/orders/1').status == 503
            server.start()
            becomes(lambda: one.get('/readyz').status == 200, one)
            becomes(lambda: one.get('/orders/1').status == 200, one)
            assert order_tea(one).status == 201
            server.stop()
        assert one.get('/healthz').status == 200
        server.start()
        assert one.terminate() == 0


def order_tea(one):
    return one.post('/orders', {'customer_id': 7, 'sku': 'tea', 'quantity': 2})


def what_is_away_is_asked_once_a_second():
    """Something listens in the database's place, counts, and hangs up."""
    with socket.create_server(('127.0.0.1', 0)) as listener:
        came = []

        def count():
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                came.append(client)
                client.close()

        threading.Thread(target=count, daemon=True).start()
        began = time.monotonic()
        with serving(f'host=127.0.0.1 port={listener.getsockname()[1]} sslmode=disable user=a dbname=b') as one:
            becomes(lambda: len(came) >= 4, one)
            count_now, passed = len(came), time.monotonic() - began
            assert count_now <= passed + 1.1, (count_now, passed)
            assert one.terminate() == 0
        listener.shutdown(socket.SHUT_RDWR)


def whoever_is_told_to_end_while_it_waits_ends():
    with socket.create_server(('127.0.0.1', 0)) as silent:
        for url in (address(), f'host=127.0.0.1 port={silent.getsockname()[1]} user=a dbname=b'):
            with serving(url, '--database.connect_budget=5min', '--http.drain_budget=5min') as one:
                assert one.terminate(timeout=60) == 0


def a_password_may_be_set_later():
    server.sql("CREATE ROLE secret LOGIN PASSWORD 'other' SUPERUSER")
    server.sql('CREATE DATABASE secrets')
    url = f'host=127.0.0.1 port={server.port} user=secret password=hush dbname=secrets'
    with serving(url) as one:
        becomes(lambda: 'password authentication failed' in one.output(), one)
        assert one.get('/readyz').status == 503
        server.sql("ALTER ROLE secret PASSWORD 'hush'")
        becomes(lambda: one.get('/readyz').status == 200, one)
        assert 'hush' not in one.output()
        assert one.terminate() == 0


def what_will_not_be_better_ends_it():
    server.sql('CREATE DATABASE another')
    url = address().replace('dbname=postgres', 'dbname=another')
    subprocess.run(['psql', '-qd', url, '-c', 'CREATE TABLE orders (number INTEGER)'], check=True)
    ended = start_and_end(f'--database.url={url}')
    assert ended.returncode == 2 and "another program's" in ended.stderr, ended

    with tempfile.TemporaryDirectory() as directory:
        ended = start_and_end(f'--database.path={directory}/not/there.db')
        assert ended.returncode == 2 and f'there is no directory {directory}/not' in ended.stderr, ended
        with open(f'{directory}/text.db', 'w', encoding='ascii') as text:
            text.write('not a database, but long enough to look like something else' * 100)
        ended = start_and_end(f'--database.path={directory}/text.db')
        assert ended.returncode == 1 and 'not a database' in ended.stderr, ended


def the_start_fails_where_that_was_asked_for():
    ended = start_and_end(f'--database.url=host=127.0.0.1 port={app_serving.free_port()} user=a dbname=b',
                          '--database.start=fail', '--database.start_budget=300ms')
    assert ended.returncode == 1 and 'listening' not in ended.stderr, ended


if not postgres.programs():
    print('skipped: PostgreSQL is not installed (Debian: apt install postgresql)')
    sys.exit(77)
server = postgres.Postgres()
try:
    app_serving.run(whoever_is_told_to_end_while_it_waits_ends, a_database_that_comes_later_is_waited_for,
                    one_that_goes_and_comes_back_is_found_again, what_is_away_is_asked_once_a_second,
                    a_password_may_be_set_later, what_will_not_be_better_ends_it,
                    the_start_fails_where_that_was_asked_for)
finally:
    server.remove()
