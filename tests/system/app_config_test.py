"""What keeps the server from starting, and how it says so. Usage: ... HEDDLE SOURCE_ROOT"""
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

import app_serving

heddle, source = map(os.path.abspath, sys.argv[1:])


def start(*flags, config=None, environment=None):
    """Starts a server that cannot start; returns what it wrote to stderr."""
    with tempfile.TemporaryDirectory() as directory:
        if config is not None:
            (pathlib.Path(directory) / 'a.toml').write_text(config)
            flags = ('--config', 'a.toml') + flags
        ended = subprocess.run([heddle, 'serve', *flags], capture_output=True, text=True, timeout=20,
                               cwd=directory, env=app_serving.clean_environment() | (environment or {}))
        assert ended.returncode == 2, ended
        assert not ended.stdout, ended.stdout
        return ended.stderr


def an_unknown_key_is_told_with_its_line():
    said = start(config='[http]\nport = 8080\nmax_reqests = 3\n')
    assert 'a.toml:3: http.max_reqests: there is no such key; did you mean http.max_requests?' in said, said


def a_wrong_value_is_told_with_what_would_be_right():
    said = start(config='[http]\nport = "8080"\n\n[lane.read]\nqueue_wait = 50\n')
    assert 'a.toml:2: http.port = "8080": must be a whole number from 0 to 65535' in said, said
    assert 'a.toml:5: lane.read.queue_wait = 50: must be a duration from "0s" to "1h"' in said, said


def flags_and_variables_are_told_by_name():
    said = start('--http.port=no', environment={'HEDDLE_DATABASE_POOL_SIZE': '0'})
    assert '--http.port: http.port = "no": must be a whole number' in said, said
    assert 'HEDDLE_DATABASE_POOL_SIZE: database.pool_size = "0": must be' in said, said


def a_database_that_cannot_be_meant_is_told_without_its_password():
    right = 'database.url: must be what psql takes, such as "postgresql://ada@db.example.org:5432/orders"'
    for address in ('mysql://ada:hush@h/orders', 'postgresql://ada:hu%sh@h', 'ada hush', 'heddle.db'):
        said = start(config=f'[database]\n\nurl = "{address}"\n')
        assert f'a.toml:3: {right}' in said and address not in said and 'hush' not in said, said
    said = start(config='[database]\nurl = postgresql://ada:hush@h\n')
    assert 'a.toml:2: this is not TOML' in said and 'hush' not in said, said


def a_file_that_cannot_be_read_is_named():
    assert 'gone.toml: cannot be read' in start('--config', 'gone.toml')


def a_file_that_is_not_toml_is_told_its_line():
    assert 'a.toml:2: this is not TOML' in start(config='[http]\nport == 1\n')


def a_stack_size_that_is_no_power_of_two_is_refused():
    assert 'stack_size' in start('--runtime.stack_size=65KiB')


def a_port_that_is_taken_is_named():
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f'127.0.0.1:{port}' in start(f'--http.port={port}')


def the_shipped_file_starts_the_server():
    command = [heddle, 'serve', '--config', f'{source}/app/heddle.toml', '--http.port={port}']
    with app_serving.Server(*command) as server:
        assert server.get('/orders/1').status == 200
        assert server.terminate() == 0


def what_would_be_used_can_be_printed():
    command = [heddle, 'serve', '--http.port=81', '--print-config']
    shown = subprocess.run(command, capture_output=True, text=True)
    assert shown.returncode == 0 and '\nport = 81\n' in shown.stdout, shown


app_serving.run(an_unknown_key_is_told_with_its_line, a_wrong_value_is_told_with_what_would_be_right,
                flags_and_variables_are_told_by_name,
                a_database_that_cannot_be_meant_is_told_without_its_password,
                a_file_that_cannot_be_read_is_named,
                a_file_that_is_not_toml_is_told_its_line, a_stack_size_that_is_no_power_of_two_is_refused,
                a_port_that_is_taken_is_named, the_shipped_file_starts_the_server,
                what_would_be_used_can_be_printed)
