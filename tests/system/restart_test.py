"""The server under systemd, whose part this test plays: sockets that outlive the process, and what it says about
itself. Usage: ... HEDDLE"""
import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from app_serving import clean_environment, request, run

heddle = os.path.abspath(sys.argv[1])
full = os.environ.get('HEDDLE_REPEAT') == 'full'

# Puts the sockets where they are expected, names the process that is to have them, and becomes the server.
become = '''
import os, sys
sockets = [int(word) for word in sys.argv[1].split(',') if word]
high = [os.dup(s) for s in sockets]
high = [os.dup2(s, 100 + i) for i, s in enumerate(high)]
for i, s in enumerate(high):
    os.dup2(s, 3 + i)
os.environ['LISTEN_FDS'] = str(len(sockets))
os.environ['LISTEN_PID'] = os.environ['WATCHDOG_PID'] = str(os.getpid())
os.execv(sys.argv[2], sys.argv[2:])
'''


class Manager:
    """The sockets, a directory, and what each process says."""

    def __enter__(self):
        self.ending = contextlib.ExitStack()
        self.directory = self.ending.enter_context(tempfile.TemporaryDirectory(prefix='heddle-'))
        self.started = 0
        return self

    def __exit__(self, *_):
        self.ending.close()

    def listen(self):
        door = self.ending.enter_context(socket.create_server(('127.0.0.1', 0), backlog=1024))
        return door

    def start(self, sockets=(), names='', watchdog=None, flags=()):
        self.started += 1
        return self.ending.enter_context(Process(self, f'notify{self.started}', sockets, names, watchdog, flags))


class Process:
    def __init__(self, manager, name, sockets, names, watchdog, flags):
        path = os.path.join(manager.directory, name)
        self.ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.ear.bind(path)
        self.log = open(path + '.log', 'w+b')
        environment = clean_environment() | {'NOTIFY_SOCKET': path, 'LISTEN_FDNAMES': names}
        if watchdog:
            environment['WATCHDOG_USEC'] = str(watchdog)
        numbers = [door.fileno() for door in sockets]
        self.process = subprocess.Popen(
            [sys.executable, '-c', become, ','.join(map(str, numbers)), heddle, 'serve', '--http.port=0',
             '--database.sample_orders=0', *flags],
            cwd=manager.directory, env=environment, pass_fds=numbers, stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=self.log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.ear.close()
        self.log.close()

    def hears(self, line, limit=60):
        """Waits until the process says `line`; returns what it said before."""
        before, until = [], time.monotonic() + limit
        while True:
            self.ear.settimeout(max(0.001, until - time.monotonic()))
            try:
                lines = self.ear.recv(4096).decode().split('\n')
            except TimeoutError as late:
                raise AssertionError(f'never said {line}, but {before}:\n{self.output()}') from late
            if line in lines:
                return before
            before += lines

    def output(self):
        self.log.flush()
        with open(self.log.name, encoding='utf-8', errors='replace') as log:
            return log.read()

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def ends(self, limit=60):
        return self.process.wait(limit)


def port_of(door):
    return door.getsockname()[1]


def the_sockets_are_served():
    with Manager() as manager:
        clients, operations = manager.listen(), manager.listen()
        one = manager.start([clients, operations], names='heddle.socket:operations')
        one.hears('READY=1')
        assert request(port_of(clients), 'GET', '/hello').status == 200
        assert request(port_of(clients), 'GET', '/healthz').status == 404
        assert request(port_of(operations), 'GET', '/healthz').status == 200
        assert request(port_of(operations), 'GET', '/debug/fibers').status == 200
        listening = [line for line in one.output().splitlines() if 'listening' in line]
        assert len(listening) == 2 and all('inherited' in line for line in listening), listening
        one.terminate()
        assert one.ends() == 0


def a_socket_that_does_not_listen_is_refused():
    with Manager() as manager, socket.socket() as deaf, socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        for wrong in (deaf, datagrams):
            one = manager.start([wrong])
            assert one.ends() == 2
            assert 'descriptor 3' in one.output(), one.output()


def it_says_how_it_is():
    with Manager() as manager:
        door = manager.listen()
        one = manager.start([door], watchdog=200_000, flags=['--http.request_budget=1min', '--http.drain_budget=1min'])
        said = one.hears('READY=1')
        assert 'STOPPING=1' not in said and 'WATCHDOG=1' not in said, said
        for _ in range(3):
            one.hears('WATCHDOG=1')
        slow = http.client.HTTPConnection('127.0.0.1', port_of(door), timeout=60)
        slow.request('GET', '/sleep?ms=3000')
        request(port_of(door), 'GET', '/hello')  # the one before has been accepted, too
        one.terminate()
        one.hears('STOPPING=1')
        one.hears('WATCHDOG=1')  # also while it finishes
        answer = slow.getresponse()
        assert answer.status == 200 and answer.headers['Connection'] == 'close' and answer.read()
        assert one.ends() == 0


# Readiness before the end, for those who ask on a connection of their own each time.
def it_is_alive_and_not_ready_while_it_gives_notice():
    with Manager() as manager:
        door = manager.listen()
        one = manager.start([door], flags=['--http.notice_time=1min'])
        one.hears('STATUS=ready')
        assert [request(port_of(door), 'GET', path).status for path in ('/startupz', '/readyz')] == [200, 200]
        one.terminate()
        one.hears('STOPPING=1')
        asked = [request(port_of(door), 'GET', path) for path in ('/healthz', '/startupz', '/readyz', '/hello')]
        assert [answer.status for answer in asked] == [200, 200, 503, 200], asked
        assert all(answer.headers['Connection'] == 'close' for answer in asked)
        one.terminate()
        assert one.ends() == 0


def a_database_that_is_prepared_is_said_to_be():
    with Manager() as manager:
        manager.start([manager.listen()]).hears('STATUS=ready')


class Load:
    """Clients that ask without a pause: some on one connection as long as it lasts, others on a new one each time.
    Nobody may be refused or reset, and each answer must be there, whole and good."""

    def __init__(self, port):
        self.port, self.ending = port, threading.Event()
        self.answers, self.told, self.surprised, self.faults = 0, 0, 0, []
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.guarded, args=(one,)) for one in [self.anew] * 3 + [self.again] * 3]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        for thread in self.threads:
            thread.join()

    def guarded(self, client):
        try:
            while not self.ending.is_set():
                client()
        except Exception as fault:
            self.faults.append(repr(fault))

    def count(self, answers=0, told=0, surprised=0):
        with self.lock:
            self.answers += answers
            self.told += told
            self.surprised += surprised

    def send(self, connection):
        connection.request('POST', '/echo', body=b'{"x": 1}', headers={'Content-Type': 'application/json'})

    def take(self, connection):
        """Whether the answer says that it is the last."""
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200 and body, (answer.status, body)
        self.count(answers=1)
        return answer.headers['Connection'] == 'close'

    def anew(self):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=60)
        began = time.monotonic()
        connection.connect()  # refused: a fault, whatever the time
        took = 0.0
        try:
            self.send(connection)
            took = time.monotonic() - began
            self.take(connection)
        except (OSError, http.client.HTTPException) as fault:
            took = took or time.monotonic() - began
            # A server that ends waits for the first request for 100 ms: not one of this machine's hiccups.
            assert took > 0.05, f'{fault!r}, sent within {took:.3f} s'
            self.count(surprised=1)
        finally:
            connection.close()

    def again(self):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=60)
        connection.connect()
        try:
            while not self.ending.is_set():
                self.send(connection)
                if self.take(connection):
                    self.count(told=1)
                    return
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            # What each client of a server that may end has to expect between two requests, but rarely.
            self.count(surprised=1)
        finally:
            connection.close()


# Turn by turn the next one is started before the last one is asked to end, and after it.
def a_restart_under_load_refuses_nobody():
    restarts = 20 if full else 4
    with Manager() as manager:
        door = manager.listen()
        one = manager.start([door])
        one.hears('READY=1')
        with Load(port_of(door)) as load:
            for turn in range(restarts):
                before = load.answers
                if turn % 2:
                    one.terminate()
                    following = manager.start([door])
                    following.hears('READY=1')
                else:
                    following = manager.start([door])
                    following.hears('READY=1')
                    one.terminate()
                assert one.ends() == 0, one.output()
                one = following
                wait_for(lambda: load.answers >= before + 100 or load.faults)
        print(f'{load.answers} answers, {load.told} told to go, {load.surprised} closed between two requests')
        assert not load.faults, load.faults
        assert load.told >= restarts and load.surprised <= load.told // 3, (load.told, load.surprised)
        one.terminate()
        assert one.ends() == 0


def wait_for(holds, limit=60):
    until = time.monotonic() + limit
    while not holds():
        assert time.monotonic() < until, 'it does not become true'
        time.sleep(0.02)


run(the_sockets_are_served, a_socket_that_does_not_listen_is_refused, it_says_how_it_is,
    it_is_alive_and_not_ready_while_it_gives_notice, a_database_that_is_prepared_is_said_to_be,
    a_restart_under_load_refuses_nobody)
