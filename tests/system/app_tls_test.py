"""The shipped server's TLS from outside: curl, openssl s_client and Python's ssl. Usage: ... HEDDLE"""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile

import app_serving
from app_serving import Server

heddle = os.path.abspath(sys.argv[1])

for tool in ('openssl', 'curl'):
    if not shutil.which(tool):
        print(f'skipped: {tool} is not installed')
        sys.exit(77)

files = pathlib.Path(tempfile.mkdtemp(prefix='heddle-tls-'))


def openssl(*words):
    subprocess.run(['openssl', *words], cwd=files, check=True, capture_output=True)


def new_key(name):
    return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', f'{name}.key']


def make_authority(name):
    openssl('req', '-x509', '-config', 'c.cnf', *new_key(name), '-out', f'{name}.pem', '-days', '2',
            '-subj', f'/CN={name}', '-addext', 'basicConstraints=critical,CA:TRUE')


def issue(name, host, by='authority'):
    """`name`.pem and `name`.key, for `host`."""
    openssl('req', '-new', '-config', 'c.cnf', *new_key(name), '-out', f'{name}.csr', '-subj', f'/CN={host}',
            '-addext', f'subjectAltName=DNS:{host}')
    openssl('x509', '-req', '-in', f'{name}.csr', '-CA', f'{by}.pem', '-CAkey', f'{by}.key', '-CAcreateserial',
            '-copy_extensions', 'copy', '-days', '2', '-out', f'{name}.pem')


def make_certificates():
    (files / 'c.cnf').write_text('[req]\ndistinguished_name=dn\n[dn]\n')
    make_authority('authority')
    make_authority('stranger')
    issue('a', 'a.test')
    issue('b', 'b.test')
    issue('ada', 'ada')
    issue('eve', 'eve', by='stranger')
    for name in ('pem', 'key'):
        shutil.copy(files / f'a.{name}', files / f'shown.{name}')


class Secure(Server):
    """Speaks TLS at `secure`: `shown` to all, b.test to those who ask for it."""

    def __init__(self, *flags):
        self.secure = app_serving.free_port()
        super().__init__(heddle, 'serve', '--http.port={port}', f'--http.tls_listen=127.0.0.1:{self.secure}',
                         f'--http.tls_certificates={files}/shown.pem,{files}/b.pem',
                         f'--http.tls_keys={files}/shown.key,{files}/b.key', *flags)

    def curl(self, path, *words, host='a.test', authority='authority'):
        return subprocess.run(['curl', '-sS', '--max-time', '20', '--cacert', f'{files}/{authority}.pem',
                               '--connect-to', f'{host}:443:127.0.0.1:{self.secure}', *words,
                               f'https://{host}{path}'], capture_output=True)

    def s_client(self, *words):
        return subprocess.run(['openssl', 's_client', '-connect', f'127.0.0.1:{self.secure}',
                               '-CAfile', f'{files}/authority.pem', *words],
                              input=b'', capture_output=True, timeout=20)

    @contextlib.contextmanager
    def connected(self, host='a.test'):
        context = ssl.create_default_context(cafile=files / 'authority.pem')
        with socket.create_connection(('127.0.0.1', self.secure), timeout=20) as plain:
            with context.wrap_socket(plain, server_hostname=host, suppress_ragged_eofs=False) as stream:
                yield stream


def ask(stream, path='/hello', close=False):
    last = 'Connection: close\r\n' if close else ''
    stream.sendall(f'GET {path} HTTP/1.1\r\nHost: a.test\r\n{last}\r\n'.encode())


def answer_of(stream):
    """Head and body of one answer that has a length."""
    text = b''
    while b'\r\n\r\n' not in text:
        text += stream.recv(1)
    head, _, body = text.partition(b'\r\n\r\n')
    length = int(head.lower().split(b'content-length:')[1].split(b'\r\n')[0])
    while len(body) < length:
        body += stream.recv(length - len(body))
    return head, body


def curl_is_answered_and_believes():
    with Secure() as one:
        hello = one.curl('/hello')
        assert hello.stdout == b'Hello, World!\n', hello
        words = ('-w', '%{num_connects} %{http_version} %{ssl_verify_result}\\n', 'https://a.test/hello')
        twice = one.curl('/hello', *words)
        assert twice.stdout == b'Hello, World!\n1 1.1 0\nHello, World!\n0 1.1 0\n', twice
        large = files / 'large'
        large.write_bytes(bytes(range(256)) * 4000)
        echo = one.curl('/echo', '--data-binary', f'@{large}', '-H', 'Content-Type: x/y')
        assert echo.stdout == large.read_bytes(), (len(echo.stdout), echo.stderr)
        assert one.curl('/hello', authority='stranger').returncode == 60
        assert one.curl('/hello', host='c.test').returncode == 60
        assert one.get('/hello').status == 200, 'the other listener speaks plain HTTP'


def each_name_has_its_certificate():
    with Secure() as one:
        assert b'CN = b.test' in one.s_client('-servername', 'b.test').stdout
        assert b'CN = a.test' in one.s_client('-servername', 'other.test').stdout
        assert b'CN = a.test' in one.s_client('-noservername').stdout


def what_is_weak_is_refused():
    with Secure() as one:
        assert one.s_client('-tls1_2').returncode == 0
        assert one.s_client('-tls1_3').returncode == 0
        assert one.s_client('-tls1_1', '-cipher', 'ALL:@SECLEVEL=0').returncode != 0
        assert one.s_client('-tls1_2', '-cipher', 'ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0').returncode != 0
    with Secure('--http.tls_minimum=1.3') as one:
        assert one.s_client('-tls1_2').returncode != 0
        assert one.s_client('-tls1_3').returncode == 0


def sessions_are_resumed():
    with Secure() as one:
        for version in ('-tls1_2', '-tls1_3'):
            for host in ('a.test', 'b.test'):
                session = f'{files}/session'
                ask_for = f'GET /hello HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n'
                words = ['openssl', 's_client', '-connect', f'127.0.0.1:{one.secure}', '-servername', host, version,
                         '-ign_eof']
                first = subprocess.run([*words, '-sess_out', session], input=ask_for.encode(), capture_output=True)
                second = subprocess.run([*words, '-sess_in', session], input=ask_for.encode(), capture_output=True)
                assert b'\nNew, ' in first.stdout and b'\nReused, ' in second.stdout, (version, host, second)
                assert b'Hello, World!' in second.stdout, second


def sighup_shows_another_certificate_and_keeps_what_is_good():
    with Secure() as one, one.connected() as before:
        ask(before)
        answer_of(before)
        issue('next', 'next.test')
        for name in ('pem', 'key'):
            shutil.copy(files / f'next.{name}', files / f'shown.{name}')
        one.process.send_signal(signal.SIGHUP)
        app_serving.becomes(lambda: b'CN = next.test' in one.s_client('-noservername').stdout, one)
        ask(before)
        assert answer_of(before)[1] == b'Hello, World!\n'

        (files / 'shown.pem').write_text('nothing')
        one.process.send_signal(signal.SIGHUP)
        app_serving.becomes(lambda: 'certificates stay as they were' in one.output(), one)
        assert b'CN = next.test' in one.s_client('-noservername').stdout
        assert 'shown.pem' in one.output()
    for name in ('pem', 'key'):
        shutil.copy(files / f'a.{name}', files / f'shown.{name}')


def clients_sign_where_they_must():
    authority = f'--http.tls_client_authorities={files}/authority.pem'
    sign = lambda name: ('--cert', f'{files}/{name}.pem', '--key', f'{files}/{name}.key')
    with Secure('--http.tls_clients=must_sign', authority) as one:
        assert one.curl('/hello', *sign('ada')).stdout == b'Hello, World!\n'
        assert one.curl('/hello').returncode != 0
        assert one.curl('/hello', *sign('eve')).returncode != 0
    with Secure('--http.tls_clients=may_sign', authority) as one:
        assert one.curl('/hello', *sign('ada')).stdout == b'Hello, World!\n'
        assert one.curl('/hello').stdout == b'Hello, World!\n'
        assert one.curl('/hello', *sign('eve')).returncode != 0


def plain_http_is_told_where_it_is():
    with Secure() as one:
        answer = app_serving.request(one.secure, 'GET', '/hello')
        assert answer.status == 400 and b'HTTPS' in answer.body, answer.body


def bytes_may_be_cut_anywhere():
    with Secure() as one, socket.create_connection(('127.0.0.1', one.secure), timeout=20) as plain:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        context = ssl.create_default_context(cafile=files / 'authority.pem')
        stream = context.wrap_bio(incoming, outgoing, server_hostname='a.test')

        def until_done(step):
            while True:
                try:
                    return step()
                except ssl.SSLWantReadError:
                    for byte in outgoing.read():
                        plain.sendall(bytes([byte]))
                    incoming.write(plain.recv(7))

        until_done(stream.do_handshake)
        stream.write(b'GET /hello HTTP/1.1\r\nHost: a.test\r\n')
        stream.write(b'Connection: close\r\n\r\n')
        text = b''
        while more := until_done(lambda: stream.read(1000)):
            text += more
        assert text.startswith(b'HTTP/1.1 200') and text.endswith(b'Hello, World!\n'), text


def requests_in_one_record_are_all_answered():
    with Secure() as one, one.connected() as stream:
        stream.sendall(b'GET /hello HTTP/1.1\r\nHost: a.test\r\n\r\n' * 40 + b'GET /hello HTTP/1.1\r\nHo')
        for _ in range(40):
            assert answer_of(stream)[1] == b'Hello, World!\n'
        stream.sendall(b'st: a.test\r\n\r\n')
        assert answer_of(stream)[1] == b'Hello, World!\n'


def an_end_is_said():
    with Secure() as one:
        with one.connected() as stream:
            ask(stream, close=True)
            answer_of(stream)
            assert stream.recv(1) == b''  # without close_notify: SSLEOFError
        with one.connected() as idle:
            ask(idle)
            answer_of(idle)
            one.process.send_signal(signal.SIGTERM)
            assert idle.recv(1) == b''
        assert one.process.wait(15) == 0


def a_client_that_leaves_its_end_unsaid_is_served_all_the_same():
    with Secure() as one, one.connected() as stream:
        ask(stream)
        socket.socket.shutdown(stream, socket.SHUT_WR)
        assert answer_of(stream)[1] == b'Hello, World!\n'
        assert stream.recv(1) == b''


def a_slow_hand_shake_ends_and_costs_others_nothing():
    with Secure('--http.header_time=3s') as one:
        hello = b'\x16\x03\x01\x02\x00\x01'  # how a client's greeting begins
        slow = [socket.create_connection(('127.0.0.1', one.secure), timeout=20) for _ in range(200)]
        for each in slow[::2]:
            each.sendall(hello)
        assert one.curl('/hello').stdout == b'Hello, World!\n'
        for each in slow:
            with contextlib.suppress(ConnectionResetError):
                assert each.recv(1) == b''
            each.close()
        app_serving.becomes(lambda: one.metric('heddle_connections') <= 1, one)
        assert one.curl('/hello').stdout == b'Hello, World!\n'


def what_cannot_work_is_said_at_the_start():
    words = [heddle, 'serve', '--http.port=0', '--http.tls_listen=127.0.0.1:0,nowhere',
             '--http.tls_clients=must_sign', f'--http.tls_certificates={files}/a.pem']
    refused = subprocess.run(words, capture_output=True, text=True, cwd=files, timeout=60)
    assert refused.returncode != 0
    for key in ('http.tls_listen', 'http.tls_keys', 'http.tls_client_authorities'):
        assert key in refused.stderr, refused.stderr
    missing = subprocess.run([*words[:3], '--http.tls_listen=127.0.0.1:0', f'--http.tls_certificates={files}/no.pem',
                              f'--http.tls_keys={files}/a.key'], capture_output=True, text=True, cwd=files, timeout=60)
    assert missing.returncode != 0 and 'no.pem' in missing.stderr, missing.stderr


make_certificates()
try:
    app_serving.run(curl_is_answered_and_believes, each_name_has_its_certificate, what_is_weak_is_refused,
                    sessions_are_resumed, sighup_shows_another_certificate_and_keeps_what_is_good,
                    clients_sign_where_they_must, plain_http_is_told_where_it_is, bytes_may_be_cut_anywhere,
                    requests_in_one_record_are_all_answered, an_end_is_said,
                    a_client_that_leaves_its_end_unsaid_is_served_all_the_same,
                    a_slow_hand_shake_ends_and_costs_others_nothing, what_cannot_work_is_said_at_the_start)
finally:
    shutil.rmtree(files)
