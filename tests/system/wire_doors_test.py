"""Several listeners, unix-domain sockets, and what FAULTS F09, F22 and F25 want over them."""

import os
import pathlib
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time

from wire_app import App, Client, repeats, run, wait_for

HALF_A_BODY = b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" + b"x" * 500
PING = b"GET /ping HTTP/1.1\r\nHost: a\r\n\r\n"
SLOW = b"GET /slow?ms=%d HTTP/1.1\r\nHost: a\r\n\r\n"


class Paths:
    """Names for sockets, in a directory that goes with the `with`."""

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="heddle-")
        return self

    def __exit__(self, *_):
        self.directory.cleanup()

    def path(self, name="socket"):
        return os.path.join(self.directory.name, name)


def at(path):
    return f"unix:{path}"


def test_all_listeners_serve(program):
    with Paths() as paths, App(program, operations=0, listen=at(paths.path())) as app:
        for where in (app.port, app.operations_port, paths.path()):
            client = app.client(where)
            assert client.get("/ping").body == b"pong"
            client.close()
        client = app.client(paths.path())
        assert client.get("/peer").body == b"unix"
        client.close()
        client = app.client()
        assert client.get("/peer").body.startswith(b"127.0.0.1:")
        client.close()


def test_the_file_is_made_for_its_group_and_removed(program):
    with Paths() as paths:
        with App(program, listen=at(paths.path())):
            mode = os.stat(paths.path()).st_mode
            assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o660, oct(mode)
        assert not os.path.lexists(paths.path())


def test_a_name_without_a_file(program):
    name = f"@heddle-{os.getpid()}"
    with App(program, listen=at(name)) as app:
        client = app.client("\0" + name[1:])
        assert client.get("/ping").body == b"pong"
        client.close()


def test_a_killed_server_does_not_keep_the_next_one_out(program):
    with Paths() as paths:
        first = App(program, listen=at(paths.path()))
        first.process.send_signal(signal.SIGKILL)
        first.process.wait()
        assert os.path.lexists(paths.path())
        with App(program, listen=at(paths.path())) as app:
            client = app.client(paths.path())
            assert client.get("/ping").body == b"pong"
            client.close()


def test_a_second_server_does_not_take_a_socket_from_the_first(program):
    with Paths() as paths, App(program, listen=at(paths.path())) as app:
        second = subprocess.run([program, f"listen={at(paths.path())}"], capture_output=True, text=True, timeout=30)
        assert second.returncode != 0 and paths.path() in second.stderr, second
        client = app.client(paths.path())
        assert client.get("/ping").body == b"pong"
        client.close()


def test_of_many_that_start_at_once_one_gets_the_socket(program):
    with Paths() as paths:
        for _ in range(repeats(3, 20)):
            leave_a_socket_behind(paths.path())
            starting = [subprocess.Popen([program, f"listen={at(paths.path())}"], stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL) for _ in range(4)]
            lines = [process.stdout.readline() for process in starting]
            client = Client(paths.path())
            assert client.get("/ping").body == b"pong"
            client.close()
            for process in starting:
                process.terminate()
            codes = [process.wait(timeout=30) for process in starting]
            assert sum(map(bool, lines)) == 1 and codes.count(0) == 1, (lines, codes)


def leave_a_socket_behind(path):
    if not os.path.lexists(path):
        with socket.socket(socket.AF_UNIX) as gone:
            gone.bind(path)
            gone.listen()


def test_anothers_file_is_left_alone(program):
    with Paths() as paths:
        app = App(program, listen=at(paths.path()))
        os.remove(paths.path())
        pathlib.Path(paths.path()).write_text("another's")
        assert app.stop() == 0
        assert pathlib.Path(paths.path()).read_text() == "another's"
        refused = subprocess.run([program, f"listen={at(paths.path())}"], capture_output=True, text=True, timeout=30)
        assert refused.returncode != 0 and paths.path() in refused.stderr, refused


# FAULTS F09 (a): a unix-domain socket knows no reset, and its close says as much
def test_a_client_that_closes_cancels(program):
    with Paths() as paths, App(program, request_budget=60_000, listen=at(paths.path())) as app:
        client = app.client(paths.path()).send(SLOW % 60_000)
        wait_for(lambda: app.get("/working").body == b"1", "the handler does not start")
        client.close()
        wait_for(lambda: app.get("/working").body == b"0", "the handler goes on", within=2.5)


# FAULTS F09 (b)
def test_an_end_of_file_does_not_cancel(program):
    with Paths() as paths, App(program, listen=at(paths.path())) as app:
        client = app.client(paths.path()).send(SLOW % 300)
        client.socket.shutdown(socket.SHUT_WR)
        answer = client.answer()
        assert answer.status == 200 and answer.body == b"slow"
        assert client.is_closed()
        client.close()


# FAULTS F22
def test_clients_that_vanish_hurt_nobody(program):
    with Paths() as paths, App(program, listen=at(paths.path())) as app:
        other = app.client(paths.path())
        for _ in range(repeats(50, 500)):
            client = app.client(paths.path()).send(b"GET /big?bytes=5000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            client.socket.recv(1024)
            client.close()
            app.client(paths.path()).send(PING).close()
            app.client(paths.path()).send(HALF_A_BODY).close()
            assert other.get("/ping").status == 200
        other.close()


def test_a_client_that_does_not_read_is_given_up(program):
    with Paths() as paths, App(program, write_stall=500, listen=at(paths.path())) as app:
        client = app.client(paths.path()).send(b"GET /big?bytes=5000000 HTTP/1.1\r\nHost: a\r\n\r\n")
        client.socket.recv(1)
        wait_for(lambda: app.open_descriptors() <= app.descriptors, "still open", within=10)
        client.close()


# FAULTS F25
def test_shutdown_finishes_what_was_accepted(program):
    for times in (1, 2):
        with Paths() as paths:
            with_signal(program, paths.path(), times)


def with_signal(program, path, times):
    app = App(program, request_budget=20_000, drain_budget=20_000, listen=at(path))
    running = [app.client(path).send(SLOW % 1000) for _ in range(8)]
    wait_for(lambda: app.get("/working").body == b"8", "the handlers do not start", within=10)
    idle = [app.client(path) for _ in range(20)]
    for client in idle:
        client.get("/ping")
    for _ in range(times):
        app.process.send_signal(signal.SIGTERM)
    for client in idle:
        assert client.is_closed(within=10)
    assert not os.path.lexists(path)
    for client in running:
        answer = client.answer()
        assert answer.body == b"slow" and answer.closes()
    assert app.process.wait(timeout=20) == 0


def test_five_hundred_idle_connections_do_not_hold_the_end(program):
    app = App(program, drain_budget=60_000)
    idle = [app.client() for _ in range(500)]
    for client in idle:
        assert not client.get("/ping").closes()
    began = time.monotonic()
    assert app.stop() == 0
    assert time.monotonic() - began < 10
    for client in idle:
        assert client.is_closed()
        client.close()


def test_a_server_that_gives_notice_still_accepts(program):
    app = App(program, notice_time=60_000)
    app.process.send_signal(signal.SIGTERM)
    wait_for(lambda: app.get("/ping").closes(), "it does not say that it ends", within=10)
    assert app.get("/ping").body == b"pong"
    began = time.monotonic()
    assert app.stop() == 0  # by a second signal
    assert time.monotonic() - began < 20


def test_notice_is_given_for_its_time_only(program):
    app = App(program, notice_time=500)
    began = time.monotonic()
    assert app.stop() == 0
    assert 0.5 <= time.monotonic() - began < 10


# Also who connected before anybody accepted is answered.
def test_a_signal_right_after_the_start_is_one_like_others(program):
    for _ in range(repeats(20, 200)):
        app = App(program)
        client = app.client().send(PING)
        assert app.stop() == 0, app.stderr
        assert client.answer().body == b"pong"
        client.close()


# Who asks again soon is told to go, not closed on: nearly all are, however busy this machine is.
def test_clients_between_two_requests_are_told(program):
    told = []
    for _ in range(repeats(3, 20)):
        app = App(program)
        before = len(told)
        clients = [threading.Thread(target=lambda: told.append(is_told(app.client()))) for _ in range(8)]
        for client in clients:
            client.start()
        time.sleep(0.2)
        assert app.stop() == 0
        for client in clients:
            client.join()
        assert len(told) == before + 8
    assert sum(told) >= 0.75 * len(told), told


def is_told(client):
    """Asks until it is told, or the connection is gone."""
    try:
        while not client.get("/ping").closes():
            time.sleep(0.01)
        return True
    except (AssertionError, OSError):
        return False
    finally:
        client.close()


run(sys.modules[__name__])
