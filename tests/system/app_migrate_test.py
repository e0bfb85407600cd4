"""heddle migrate, and who makes the tables where several start together. Usage: ... HEDDLE SERVICES"""
import concurrent.futures
import contextlib
import os
import sqlite3
import subprocess
import sys
import tempfile

import app_serving

heddle, services = map(os.path.abspath, sys.argv[1:])
sys.path.insert(0, services)
import postgres  # noqa: E402

INSTANCES = 4


def migrate(*flags):
    return subprocess.run([heddle, 'migrate', *flags], capture_output=True, text=True, timeout=60,
                          env=app_serving.clean_environment())


def lines(done):
    assert done.returncode == 0, done
    return done.stdout.splitlines()


def new_database(name):
    server.sql(f'CREATE DATABASE {name}')
    return f'--database.url=host={server.directory} port={server.port} user=postgres dbname={name}'


def makes_the_tables_and_says_so(database):
    would = lines(migrate(database, '--dry-run'))
    assert would[0] == '0001_first_tables would run', would
    assert lines(migrate('--dry-run', database)) == would, 'it has only looked'
    assert lines(migrate(database)) == [line.replace('would run', 'has run') for line in would]
    for flags in ((), ('--dry-run',)):
        assert lines(migrate(database, *flags)) == ['There is nothing to do.']


def it_makes_them_in_a_file():
    makes_the_tables_and_says_so(f'--database.path={directory}/made.db')


def it_makes_them_in_postgres():
    makes_the_tables_and_says_so(new_database('made'))


def tables_of_another_program_are_left_alone():
    path = f'{directory}/another.db'
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute('CREATE TABLE orders (number INTEGER)')
    done = migrate(f'--database.path={path}')
    assert done.returncode == 2 and "another program's" in done.stderr, done


def several_that_start_together(database):
    """Each file has run once, the database is filled once, and all of them serve."""
    with contextlib.ExitStack() as all_of_them, concurrent.futures.ThreadPoolExecutor(INSTANCES) as pool:
        def start(_):
            return all_of_them.enter_context(
                app_serving.Server(heddle, 'serve', '--http.port={port}', database))

        started = list(pool.map(start, range(INSTANCES)))
        output = [one.output() for one in started]
        assert sum(text.count('file=0001_first_tables') for text in output) == 1, output
        assert sum(text.count('generated a new database') for text in output) == 1, output
        placed = [one.post('/orders', {'customer_id': 7, 'sku': 'tea', 'quantity': 1}).json()['id']
                  for one in started]
        assert placed == list(range(10001, 10001 + INSTANCES)), placed
        assert [one.get(f'/orders/{placed[0]}/state').status for one in started] == [200] * INSTANCES


def four_that_start_together_over_one_file():
    several_that_start_together(f'--database.path={directory}/together.db')


def four_that_start_together_over_one_empty_postgres():
    several_that_start_together(new_database('together'))


def tables_that_are_left_to_others_are_waited_for():
    database = f'--database.path={directory}/later.db'
    command = [heddle, 'serve', '--http.port={port}', '--database.migrate_at_start=false', database]
    with app_serving.Server(*command, ready='/healthz') as one:
        app_serving.becomes(lambda: b'older than this program' in one.get('/readyz').body, one)
        refused = one.get('/orders/1')
        assert refused.status == 503 and refused.headers['Retry-After'], refused.body
        assert one.get('/hello').status == 200
        assert migrate(database).returncode == 0
        app_serving.becomes(lambda: one.get('/readyz').status == 200, one)
        assert one.get('/orders/1').status == 200
        assert one.terminate() == 0
        assert one.output().count('see heddle migrate') == 1, one.output()


def or_end_the_start_where_that_was_asked_for():
    ended = subprocess.run([heddle, 'serve', f'--database.path={directory}/none.db', '--http.port=0',
                            '--database.migrate_at_start=false', '--database.start=fail'],
                           capture_output=True, text=True, timeout=60, env=app_serving.clean_environment())
    assert ended.returncode == 1 and '0001_first_tables' in ended.stderr, ended
    assert 'see heddle migrate' in ended.stderr, ended


over_files = [it_makes_them_in_a_file, tables_of_another_program_are_left_alone,
              four_that_start_together_over_one_file, tables_that_are_left_to_others_are_waited_for,
              or_end_the_start_where_that_was_asked_for]
over_postgres = [it_makes_them_in_postgres, four_that_start_together_over_one_empty_postgres]

with tempfile.TemporaryDirectory(prefix='heddle-') as directory:
    if not postgres.programs():
        print('PostgreSQL is not installed (Debian: apt install postgresql): SQLite only')
        app_serving.run(*over_files)
    server = postgres.Postgres()
    try:
        server.start()
        app_serving.run(*over_files, *over_postgres)
    finally:
        server.remove()
