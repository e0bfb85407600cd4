"""nginx and haproxy in front of a port, each in a folder of its own and behind a socket there. They write down
what they took for a request: method, target and body, and what the answer to it was."""

import json
import signal
import socket
import subprocess
import tempfile
import time

import clients
from postgres import die_with_parent

NGINX = r"""
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/errors crit;
events {{ worker_connections 256; }}
http {{
    log_format taken escape=json '{{"method":"$request_method","target":"$request_uri",'
        '"body":"$request_body","status":"$upstream_status"}}';
    access_log {folder}/taken taken;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    client_body_buffer_size 256k;
    upstream server {{
        server 127.0.0.1:{port} max_fails=0;
        keepalive 4;
    }}
    server {{
        listen unix:{folder}/socket;
        location / {{
            proxy_pass http://server;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
            proxy_ignore_client_abort on;
            proxy_next_upstream off;
        }}
    }}
}}
"""

HAPROXY = r"""
global
    log stdout len 65535 format raw local0
    nbthread 1
    tune.http.logurilen 8192
defaults
    mode http
    log global
    timeout client 10s
    timeout connect 5s
    timeout server 10s
    timeout http-request 10s
    retries 0
    http-reuse always
    option http-buffer-request
    log-format "%s %ST %[capture.req.method,hex] %[capture.req.uri,hex] %[var(txn.body)]"
frontend clients
    bind unix@{folder}/socket
    http-request set-var(txn.body) req.body,hex
    default_backend servers
backend servers
    server it 127.0.0.1:{port}
"""


class Proxy:
    """Use as a context. taken() is complete when the context is left."""

    def __init__(self, name, configuration, port):
        self.name, self.port = name, port
        self._folder = tempfile.TemporaryDirectory()
        self.folder = self._folder.name
        with open(f"{self.folder}/configuration", "w") as file:
            file.write(configuration.format(folder=self.folder, port=port))

    def __enter__(self):
        with open(f"{self.folder}/said", "wb") as said:
            self.process = subprocess.Popen(self.command(), stdout=said, stderr=subprocess.STDOUT,
                                            preexec_fn=die_with_parent)
        until = time.monotonic() + 30
        while True:
            try:
                self.connect().close()
                return self
            except OSError:
                assert self.process.poll() is None and time.monotonic() < until, self.said()
                time.sleep(0.01)

    def __exit__(self, *_):
        self.process.send_signal(self.quits)
        try:
            self.process.wait(30)
        finally:
            self.process.kill()
            self.process.wait()
            self.lines = self.read()
            self._folder.cleanup()

    def connect(self):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(20)
        try:
            client.connect(f"{self.folder}/socket")
        except OSError:
            client.close()
            raise
        return client

    def said(self):
        with open(f"{self.folder}/said", errors="replace") as file:
            return file.read()


class Nginx(Proxy):
    quits = signal.SIGQUIT

    def __init__(self, port):
        super().__init__("nginx", NGINX, port)

    def command(self):
        return [clients.program("nginx"), "-p", self.folder, "-e", f"{self.folder}/errors",
        "-c", f"{self.folder}/configuration"]

    def read(self):
        with open(f"{self.folder}/taken", "rb") as file:
            return file.read().splitlines()

    def taken(self):
        """What was passed on and answered 200: (method, target, body) in bytes, in order."""
        for line in self.lines:
            fields = nginx_fields(line)
            if fields["status"] == b"200":
                yield fields["method"], fields["target"], fields["body"]


def nginx_fields(line):
    """escape=json leaves bytes beyond ASCII as they are, so this is no text yet."""
    fields = json.loads(line.decode("latin-1"))
    return {name: value.encode("latin-1") for name, value in fields.items()}


class Haproxy(Proxy):
    quits = signal.SIGUSR1

    def __init__(self, port):
        super().__init__("haproxy", HAPROXY, port)

    def command(self):
        return [clients.program("haproxy"), "-db", "-f", f"{self.folder}/configuration"]

    def read(self):
        return [line.split(" ") for line in self.said().splitlines() if line.startswith(("it ", "servers/"))]

    def taken(self):
        for server, status, method, target, body in self.lines:
            if status == "200":
                method, target, body = (bytes.fromhex(text.strip("-")) for text in (method, target, body))
                yield method, target or b"*", body  # it writes down paths, and an asterisk is none
