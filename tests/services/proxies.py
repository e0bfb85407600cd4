"""nginx and haproxy in front of servers on ports of this machine, each in a directory of its own.

    with Nginx([app.port]) as proxy: ... 127.0.0.1:proxy.port ...

Both keep connections to the servers open and use them for several clients, as they are run in earnest.
"""

import os
import shutil
import socket
import subprocess
import tempfile
import time

from postgres import die_with_parent, free_port


def program(name):
    """The path of `name`, or None: Debian keeps servers where not everybody looks."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


class Proxy:
    """A process that listens on `port` from the beginning of its `with` to the end."""

    name = ""

    def __init__(self, configuration):
        self.directory = tempfile.TemporaryDirectory(prefix="heddle-proxy-")
        self.path = os.path.join(self.directory.name, "configuration")
        self.port = free_port()
        with open(self.path, "w", encoding="ascii") as file:
            file.write(configuration(self.directory.name, self.port))

    def command(self):
        raise NotImplementedError

    def __enter__(self):
        with open(os.path.join(self.directory.name, "log"), "wb") as log:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            preexec_fn=die_with_parent)
        until = time.monotonic() + 20
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > until:
                said = self.log()
                self.__exit__()
                raise RuntimeError(f"{self.name} does not start:\n{said}")
            time.sleep(0.02)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.directory.cleanup()

    def answers(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def log(self):
        with open(os.path.join(self.directory.name, "log"), encoding="utf-8", errors="replace") as text:
            return text.read()


class Nginx(Proxy):
    """`location` is added to the one location there is."""

    name = "nginx"

    def __init__(self, servers, location=""):
        upstream = "\n".join(f"    server 127.0.0.1:{server};" for server in servers)
        super().__init__(lambda directory, port: NGINX.format(
            directory=directory, port=port, upstream=upstream, location=location))

    def command(self):
        return [program("nginx"), "-p", self.directory.name, "-e", "stderr", "-c", self.path]


class HaProxy(Proxy):
    """Asks each server's `health` path at its port in `checks` (those of `servers` unless given) ten times a
    second. `frontend` is added to the clients' side."""

    name = "haproxy"

    def __init__(self, servers, checks=None, health="/readyz", frontend=""):
        backend = "\n".join(
            f"    server s{n} 127.0.0.1:{server} check port {check}"
            for n, (server, check) in enumerate(zip(servers, checks or servers)))
        super().__init__(lambda directory, port: HAPROXY.format(
            directory=directory, port=port, backend=backend, health=health, frontend=frontend))

    def command(self):
        return [program("haproxy"), "-db", "-f", self.path]

    def states(self):
        """What it holds of each server: {"s0": "UP", "s1": "DOWN"}."""
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(os.path.join(self.directory.name, "control"))
            control.sendall(b"show stat\n")
            lines = control.makefile(encoding="ascii").read().splitlines()
        names = lines[0].lstrip("# ").split(",")
        rows = [dict(zip(names, line.split(","))) for line in lines[1:] if line]
        return {row["svname"]: row["status"].split()[0] for row in rows
                if row["pxname"] == "servers" and row["svname"] != "BACKEND"}


NGINX = """
daemon off;
master_process off;
pid {directory}/pid;
error_log stderr warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    keepalive_requests 100000;
    client_body_buffer_size 2m;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    upstream servers {{
{upstream}
    keepalive 32;
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://servers;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
            {location}
        }}
    }}
}}
"""

HAPROXY = """
global
    maxconn 1000
    stats socket {directory}/control mode 600 level admin
defaults
    mode http
    timeout connect 2s
    timeout client 30s
    timeout server 30s
    retries 3
    option redispatch
    retry-on conn-failure empty-response
frontend clients
    bind 127.0.0.1:{port}
    {frontend}
    default_backend servers
backend servers
    option httpchk GET {health}
    default-server inter 100ms fall 1 rise 1
    http-reuse always
{backend}
"""
