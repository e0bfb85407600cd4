"""Orders through the shipped server while its PostgreSQL is killed, restarted, cut off and locked, while clients
reset and deadlines pass. In the end what was answered and what is there are the same. Run by
services/with_postgres.py. Usage: ... HEDDLE"""
import os
import random
import subprocess
import sys
import time

import app_serving
import ledger
from app_serving import ask_services, Server

heddle = sys.argv[1]
SECONDS = 60 if os.environ.get('HEDDLE_REPEAT') == 'full' else 12
CLIENTS = 16
NAME = 'ledger'


def sql(text):
    """In the database of the test, past the relay: whether it succeeded, and what it printed."""
    words = dict(word.split('=', 1) for word in os.environ['HEDDLE_TEST_POSTGRES'].split())
    command = ['psql', '-XAtq', '-F', '\t', '-h', words['host'], '-p', words['port'], '-U', words['user'], '-d', NAME,
               '-c', text]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.returncode == 0, run.stdout


def rows(text):
    succeeded, output = sql(text)
    assert succeeded, text
    return [tuple(line.split('\t')) for line in output.splitlines()]


def kill_backends():
    sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{NAME}' AND pid <> pg_backend_pid()")
    return 0.3


def cut():
    ask_services('cut')
    return 0.3


def swallow():
    ask_services('mode swallow')
    time.sleep(1.5)
    ask_services('mode forward')
    return 1


def restart():
    ask_services('stop')
    time.sleep(0.5)
    ask_services('start')
    return 1.5


def lock_the_table():
    """For longer than a request may wait."""
    sql('BEGIN; LOCK TABLE order_items; SELECT pg_sleep(1.2); COMMIT')
    return 0.5


def active(server):
    """Connections that are leased."""
    page = server.get('/metrics').body.decode()
    return sum(float(line.split()[-1]) for line in page.splitlines() if line.startswith('heddle_pool_active{'))


def what_was_answered_is_what_is_there():
    ask_services(f'sql CREATE DATABASE {NAME}')
    url = os.environ['HEDDLE_TEST_RELAY'].replace('dbname=postgres', f'dbname={NAME}')
    command = [heddle, 'serve', '--http.port={port}', '--database.sample_orders=0', '--http.request_budget=1s',
               '--database.commit_budget=500ms', '--database.connect_budget=500ms']
    book = ledger.Ledger()
    faults = [kill_backends, cut, swallow, restart, lock_the_table]
    done = {fault.__name__: 0 for fault in faults}
    with Server(*command, environment={'HEDDLE_DATABASE_URL': url}, ready='/readyz') as server:
        order = random.Random(1)
        until = time.monotonic() + SECONDS
        with ledger.Crowd(server.port, book, CLIENTS):
            while time.monotonic() < until:
                order.shuffle(faults)
                for fault in faults:
                    time.sleep(fault())
                    done[fault.__name__] += 1
        ledger.settle(server.port, book)
        assert server.process.poll() is None
        assert active(server) == 0
        ledger.compare(book, rows)
        print(f'faults: {done}')
        assert server.terminate() == 0
    assert len(book.orders) > 100 and len(book.refused) > 10, book.answers


app_serving.run(what_was_answered_is_what_is_there)
