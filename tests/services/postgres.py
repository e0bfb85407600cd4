"""A throw-away PostgreSQL: a cluster in a temporary directory, on a socket and a port of its own.

It takes TLS with a certificate for "localhost" by a CA of its own, and asks the role "secret" for its
password.
"""

import ctypes
import glob
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

SETTINGS = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = '{directory}'
max_connections = 60
fsync = off
full_page_writes = off
shared_buffers = 32MB
log_min_messages = fatal
lc_messages = 'C'
ssl = on
ssl_cert_file = '{directory}/server.crt'
ssl_key_file = '{directory}/server.key'
"""

WHO_MAY_COME_IN = """
local all all trust
local replication all trust
host all secret 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
"""


def programs():
    """The directory of the newest server that is installed, or None."""
    found = glob.glob("/usr/lib/postgresql/*/bin/postgres") + glob.glob("/usr/pgsql-*/bin/postgres")
    newest = sorted(found, key=lambda path: int("".join(filter(str.isdigit, path)) or 0))
    return os.path.dirname(newest[-1]) if newest else None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_as():
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGQUIT)


class Postgres:
    def __init__(self):
        self.bin = programs()
        self.directory = tempfile.mkdtemp(prefix="heddle-pg-")
        self.data = os.path.join(self.directory, "data")
        self.port = free_port()
        self.process = None
        if os.geteuid() == 0:
            shutil.chown(self.directory, "postgres")
        self.call("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale",
                  "-N")
        self.make_certificates()
        with open(os.path.join(self.data, "postgresql.conf"), "a", encoding="ascii") as settings:
            settings.write(SETTINGS.format(port=self.port, directory=self.directory))

        with open(os.path.join(self.data, "pg_hba.conf"), "w", encoding="ascii") as rules:
            rules.write(WHO_MAY_COME_IN)

    def follow(self):
        """A hot standby of this server, which runs: a copy of it that streams. Not started yet."""
        return Standby(self)

    def call(self, program, *arguments):
        subprocess.run([os.path.join(self.bin, program), *arguments], check=True, cwd=self.directory,
                       stdout=subprocess.DEVNULL, **run_as())

    def make_certificates(self):
        """A CA, and a server's certificate by it. PostgreSQL wants the keys kept from others."""
        new = ["openssl", "req", "-x509", "-nodes", "-days", "2", "-newkey", "ec", "-pkeyopt",
               "ec_paramgen_curve:prime256v1"]
        authority = ["-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=heddle test CA"]
        server = ["-keyout", "server.key", "-out", "server.crt", "-subj", "/CN=localhost",
                  "-CA", "ca.crt", "-CAkey", "ca.key", "-addext", "subjectAltName=DNS:localhost"]
        for arguments in (authority, server):
            subprocess.run(new + arguments, check=True, cwd=self.directory, umask=0o077,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **run_as())

    def start(self):
        with open(os.path.join(self.directory, "log"), "ab") as log:
            command = [os.path.join(self.bin, "postgres"), "-D", self.data]
            self.process = subprocess.Popen(command, cwd=self.directory, stdout=log, stderr=log,
                                            preexec_fn=die_with_parent, **run_as())
        until = time.monotonic() + 30
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > until:
                log = pathlib.Path(self.directory, "log").read_text(errors="replace")
                raise RuntimeError("PostgreSQL does not start: " + log[-2000:])
            time.sleep(0.02)

    def answers(self):
        question = [os.path.join(self.bin, "pg_isready"), "-q", "-h", self.directory, "-p", str(self.port)]
        return subprocess.run(question, check=False).returncode == 0

    def stop(self, how=signal.SIGQUIT):
        """SIGQUIT: at once, as in a crash; SIGINT: in good order."""
        if self.process:
            self.process.send_signal(how)
            self.process.wait(30)
            self.process = None

    def sql(self, text):
        command = ["psql", "-XAtq", "-h", self.directory, "-p", str(self.port), "-U", "postgres",
                   "-c", text]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def remove(self):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)


class Standby(Postgres):
    def __init__(self, primary):  # pylint: disable=super-init-not-called
        self.bin = primary.bin
        self.directory = tempfile.mkdtemp(prefix="heddle-pg-")
        self.data = os.path.join(self.directory, "data")
        self.port = free_port()
        self.process = None
        if os.geteuid() == 0:
            shutil.chown(self.directory, "postgres")
        self.call("pg_basebackup", "-h", primary.directory, "-p", str(primary.port), "-U", "postgres",
                  "-D", self.data, "-R", "-X", "stream", "-c", "fast", "-N")
        with open(os.path.join(self.data, "postgresql.conf"), "a", encoding="ascii") as settings:
            settings.write(f"port = {self.port}\nunix_socket_directories = '{self.directory}'\n")

    def promote(self):
        self.call("pg_ctl", "promote", "-w", "-D", self.data)
