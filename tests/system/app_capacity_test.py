"""heddle capacity, and the same check at the start, against a real server's limits. Usage: ... HEDDLE SERVICES"""
import os
import subprocess
import sys

import app_serving

heddle, services = map(os.path.abspath, sys.argv[1:])
sys.path.insert(0, services)
import postgres  # noqa: E402


def run(command, *flags):
    return subprocess.run([heddle, command, *flags], capture_output=True, text=True, timeout=60,
                          env=app_serving.clean_environment())


def capacity(role, *flags):
    return run('capacity', url + role, *flags)


def what_fits_is_shown_and_is_no_failure():
    done = capacity('shop', '--connections.instances=3', '--connections.must_suffice=true')
    assert done.returncode == 0, done
    lines = [' '.join(line.split()) for line in done.stdout.splitlines()]
    assert '3 instances x 8 pooled 24' in lines, lines
    assert 'together 30' in lines, lines
    assert 'max_connections 60' in lines, lines
    assert 'usable 57 27 to spare' in lines, lines
    assert 'limit of role shop (instances, batch) 30 3 to spare' in lines, lines
    assert 'There is room.' in lines, lines


def what_does_not_fit_is_a_warning_or_a_failure():
    for must_suffice, code in (('false', 0), ('true', 1)):
        done = capacity('shop', '--connections.instances=4',
                                f'--connections.must_suffice={must_suffice}')
        assert done.returncode == code, done
        assert 'NO room: limit of role shop (instances, batch): 30, 6 too few for 36' in done.stdout, done


def a_superuser_is_held_to_the_server_only():
    done = capacity('postgres', '--database.pool_size=60', '--connections.must_suffice=true')
    assert done.returncode == 1, done
    assert 'usable (by a superuser: all): 60, 4 too few for 64' in done.stdout, done


def a_server_that_is_too_small_keeps_it_from_starting_where_that_was_asked_for():
    done = run('serve', url + 'shop', '--connections.instances=4', '--connections.must_suffice=true',
               '--http.port=0')
    assert done.returncode == 2, done
    assert 'limit of role shop' in done.stderr, done


def it_starts_with_a_warning_otherwise():
    command = (heddle, 'serve', url + 'shop', '--connections.instances=4', '--http.port={port}')
    with app_serving.Server(*command) as started:
        log = started.output()
    assert 'has no room for all connections' in log, log


def a_file_needs_none():
    done = run('capacity')
    assert done.returncode == 0 and 'SQLite' in done.stdout, done


if not postgres.programs():
    print('skipped: PostgreSQL is not installed (Debian: apt install postgresql)')
    sys.exit(77)
server = postgres.Postgres()  # has 60 connections, 3 of them reserved
try:
    server.start()
    server.sql('CREATE ROLE shop LOGIN CONNECTION LIMIT 30; GRANT ALL ON SCHEMA public TO shop')
    url = f'--database.url=host={server.directory} port={server.port} dbname=postgres user='
    app_serving.run(what_fits_is_shown_and_is_no_failure, what_does_not_fit_is_a_warning_or_a_failure,
                    a_superuser_is_held_to_the_server_only,
                    a_server_that_is_too_small_keeps_it_from_starting_where_that_was_asked_for,
                    it_starts_with_a_warning_otherwise, a_file_needs_none)
finally:
    server.remove()
