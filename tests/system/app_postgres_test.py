"""The shipped server over PostgreSQL, which services/with_postgres.py has started. Usage: ... HEDDLE"""
import concurrent.futures
import contextlib
import html
import os
import re
import subprocess
import sys
import time

import app_serving
from app_serving import ask_services, Server

heddle = sys.argv[1]
postgres = os.environ['HEDDLE_TEST_POSTGRES']


def sql(text):
    return ask_services(f'sql {text}')


def new_database(name):
    """Returns what leads to it."""
    sql(f'CREATE DATABASE {name}')
    return postgres.replace('dbname=postgres', f'dbname={name}')


def server(url, *flags):
    environment = {'HEDDLE_DATABASE_URL': url}
    return Server(heddle, 'serve', '--http.port={port}', *flags, environment=environment)


def order_tea(one):
    return one.post('/orders', {'customer_id': 7, 'sku': 'tea', 'quantity': 2})


def answers_its_routes():
    with server(new_database('routes')) as one:
        assert one.get('/orders/42/state').json() == {'id': 42, 'state': 'shipped'}
        view = one.get('/orders/42').json()
        assert view == {
            'order': {'id': 42, 'customer_id': 899, 'state': 'shipped', 'total_cents': 480,
                      'placed_at': '2025-01-25'},
            'customer': {'id': 899, 'name': 'Customer 899', 'city': 'Graz'},
            'items': [{'sku': 'sugar', 'quantity': 4, 'unit_price_cents': 120}],
            'history': [{'at': '2025-01-25T09:00:00Z', 'note': 'placed'},
                        {'at': '2025-01-26T09:00:00Z', 'note': 'paid'},
                        {'at': '2025-01-27T09:00:00Z', 'note': 'shipped'}]}, view
        assert one.get('/orders/10001').status == 404
        placed = order_tea(one)
        assert placed.status == 201 and placed.headers['Location'] == '/orders/10001', placed.body
        assert one.get('/orders/10001').json()['history'][0]['note'] == 'placed'
        assert one.post('/orders', {'customer_id': 1001, 'sku': 'tea', 'quantity': 1}).status == 409
        page = one.get('/orders?customer=899&limit=1').json()
        assert page['next'] == '/orders?customer=899&after=42&limit=1', page
        assert len(one.get('/reports/sales?since=2025-06-01').body.splitlines()) == 6
        assert one.get('/reports/sales?since=2999-01-01').body == b''
        assert one.get('/readyz').status == 200
        assert one.terminate() == 0


def two_that_start_together_fill_it_once():
    url = new_database('together')
    with concurrent.futures.ThreadPoolExecutor(2) as pool, contextlib.ExitStack() as both:
        started = list(pool.map(lambda _: both.enter_context(server(url)), range(2)))
        assert sum('generated a new database' in one.output() for one in started) == 1
        for one in started:
            assert one.get('/orders/10000').status == 200
            assert one.get('/orders/10001').status == 404
        assert [order_tea(one).json()['id'] for one in started] == [10001, 10002]


def a_step_is_taken_by_exactly_one():
    """Clients of two servers that do not know of each other pay the same orders at the same time."""
    url = new_database('steps')
    with server(url) as one, server(url) as two, concurrent.futures.ThreadPoolExecutor(8) as pool:
        def pay(one_of_both, order):
            return one_of_both.patch(f'/orders/{order}', {'state': 'paid'})

        for _ in range(20):
            order = order_tea(one).json()['id']
            answers = list(pool.map(pay, [one, two] * 4, [order] * 8))
            assert sorted(answer.status for answer in answers) == [200] + [409] * 7, \
                [(answer.status, answer.body) for answer in answers]
            notes = [event['note'] for event in two.get(f'/orders/{order}').json()['history']]
            assert notes == ['placed', 'paid'], notes


def keeps_its_orders_and_comes_back_when_the_server_does():
    with server(new_database('restart')) as one:
        def becomes(path, status):
            deadline = time.monotonic() + 60
            while one.get(path).status != status:
                assert time.monotonic() < deadline, f'{path} does not become {status}\n{one.output()}'
                time.sleep(0.05)

        placed = order_tea(one).json()['id']
        ask_services('stop')
        becomes('/readyz', 503)
        assert one.get('/healthz').status == 200
        assert one.get(f'/orders/{placed}/state').status == 503
        ask_services('start')
        becomes('/readyz', 200)
        becomes(f'/orders/{placed}/state', 200)
        assert one.get(f'/orders/{placed}/state').json()['state'] == 'placed'
        assert order_tea(one).status == 201
        assert one.terminate() == 0


def a_password_is_nowhere_to_be_seen():
    sql("CREATE ROLE secret LOGIN PASSWORD 'hush-hush' SUPERUSER")
    new_database('secrets')
    port = re.search(r'port=(\d+)', postgres)[1]
    url = f'postgresql://secret:hush-hush@127.0.0.1:{port}/secrets'
    with server(url, '--http.access_log=true') as one:
        shown = [one.get(path).body.decode() for path in ('/orders/1', '/metrics')] + [one.output()]
        one.terminate()
    for words, address in ((['--print-config'], url), ([], url.replace('hush-hush', 'hush-hush-no')),
                           ([], url.replace('hush-hush', 'hush-hush%no')), ([], url.replace(port, '1'))):
        ended = subprocess.run([heddle, 'serve', *words], capture_output=True, text=True, timeout=60,
                               env=app_serving.clean_environment() | {'HEDDLE_DATABASE_URL': address,
                                                                      'HEDDLE_DATABASE_START': 'fail',
                                                                      'HEDDLE_DATABASE_START_BUDGET': '2s'})
        assert (ended.returncode == 0) == bool(words), ended
        shown += [ended.stdout, ended.stderr]
    assert 'password authentication failed for user "secret"' in shown[6], shown[6]
    assert 'must be what psql takes' in shown[8], shown[8]
    for text in shown:
        assert 'hush' not in text, text


def a_role_that_may_change_no_tables_is_enough_later_on():
    url = new_database('least')
    with server(url) as one:
        assert one.terminate() == 0
    subprocess.run(['psql', '-qd', url, '-c', """
        CREATE ROLE clerk LOGIN;
        GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO clerk"""], check=True)
    with server(url.replace('user=postgres', 'user=clerk')) as one:
        assert order_tea(one).json()['id'] == 10001
        assert one.patch('/orders/10001', {'state': 'paid'}).status == 200
        assert one.terminate() == 0


def tables_of_another_program_stop_the_start():
    url = new_database('another')
    subprocess.run(['psql', '-qd', url, '-c', 'CREATE TABLE orders (number INTEGER)'], check=True)
    command = [heddle, 'serve', '--database.url', url]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60,
                           env=app_serving.clean_environment())
    assert ended.returncode == 2 and "another program's" in ended.stderr, ended


def what_is_measured_is_what_the_tables_have():
    url = new_database('measured')
    subprocess.run(['psql', '-qd', url, '-c', '''
        CREATE TABLE world (id INTEGER PRIMARY KEY, randomnumber INTEGER NOT NULL);
        INSERT INTO world SELECT n, 0 FROM generate_series(1, 10000) AS n;
        CREATE TABLE fortune (id INTEGER PRIMARY KEY, message VARCHAR(2048) NOT NULL);
        INSERT INTO fortune VALUES (1, '<b>"Zeal" & ''more''</b>'), (2, 'A bird')'''], check=True)
    host, port, user = (re.search(rf'{key}=(\S+)', postgres)[1] for key in ('host', 'port', 'user'))
    number = app_serving.free_port()
    variables = {'BENCH_PORT': str(number), 'PGHOST': host, 'PGPORT': port, 'PGUSER': user,
                 'PGDATABASE': 'measured'}
    with Server(heddle, 'bench', environment=variables, port=number, ready='/plaintext') as one:
        assert one.get('/db-pg').json().keys() == {'id', 'randomNumber'}
        for n, rows in (('', 1), ('?n=0', 1), ('?n=x', 1), ('?n=7', 7), ('?n=501', 500)):
            assert len(one.get(f'/queries-pg{n}').json()) == rows, n
            updated = {row['id']: row['randomNumber'] for row in one.get(f'/updates-pg{n}').json()}
            ids = ','.join(map(str, updated))
            stored = subprocess.run(['psql', '-XAtqd', url, '-c', f'SELECT * FROM world WHERE id IN ({ids})'],
                                    check=True, capture_output=True, text=True).stdout.split()
            assert len(updated) == rows, (n, updated)
            assert {f'{id}|{value}' for id, value in updated.items()} == set(stored), (updated, stored)
        fortunes = re.findall('<tr><td>(.*?)</td><td>(.*?)</td></tr>', one.get('/fortunes').body.decode())
        assert [(id, html.unescape(text)) for id, text in fortunes] == [
            ('1', '<b>"Zeal" & \'more\'</b>'), ('2', 'A bird'),
            ('0', 'Additional fortune added at request time.')], fortunes
        assert '<b>' not in fortunes[0][1]
        slow = one.get('/slow-pg')
        assert slow.body == b'ok' and slow.seconds >= 0.05
        assert one.terminate() == 0


app_serving.run(answers_its_routes, two_that_start_together_fill_it_once, a_step_is_taken_by_exactly_one,
                keeps_its_orders_and_comes_back_when_the_server_does, a_password_is_nowhere_to_be_seen,
                a_role_that_may_change_no_tables_is_enough_later_on,
                tables_of_another_program_stop_the_start, what_is_measured_is_what_the_tables_have)
