"""What openssl s_client and testssl.sh say of our TLS. Usage: ... TLS_APP"""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile

import clients
from wire_app import repeats, run

openssl = clients.program("openssl")
SEVERE = ("MEDIUM", "HIGH", "CRITICAL", "FATAL")
# Of the certificate that this test has made for itself, and of the machine that asks; not of the server.
NOT_OURS = re.compile(r"cert_revocation|cert_chain_of_trust|cert_trust|DNS_CAArecord|engine_problem|scanProblem")


def make_certificate(directory):
    """A server's certificate by an authority of its own; paths of the chain, the key and the authority."""
    def run_openssl(*words):
        clients.said_by(openssl, *words, cwd=directory)

    with open(os.path.join(directory, "c.cnf"), "w", encoding="ascii") as file:
        file.write("[req]\ndistinguished_name=dn\n[dn]\n")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout")
    run_openssl("req", "-x509", "-config", "c.cnf", *key, "ca.key", "-out", "ca.pem", "-subj", "/CN=authority",
                "-days", "200", "-addext", "basicConstraints=critical,CA:TRUE")
    run_openssl("req", "-new", "-config", "c.cnf", *key, "key.pem", "-out", "x.csr", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-addext", "extendedKeyUsage=serverAuth")
    run_openssl("x509", "-req", "-in", "x.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-copy_extensions", "copy", "-out", "chain.pem", "-days", "180")
    return [os.path.join(directory, name) for name in ("chain.pem", "key.pem", "ca.pem")]


@contextlib.contextmanager
def serving(program):
    """Its port, and the authority's file."""
    with tempfile.TemporaryDirectory(prefix="heddle-tls-") as directory:
        chain, key, authority = make_certificate(directory)
        process = subprocess.Popen([program, chain, key], stdout=subprocess.PIPE)
        try:
            yield int(process.stdout.readline()), authority
            assert process.poll() is None, process.returncode
        finally:
            process.kill()
            process.communicate()


def connect(port, authority, *flags):
    """What s_client says of a hand-shake and one request; "" if there is none."""
    command = [openssl, "s_client", "-connect", f"127.0.0.1:{port}", "-servername", "localhost", "-CAfile", authority,
               "-verify_return_error", "-ign_eof", *flags]
    done = subprocess.run(command, input=b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", capture_output=True,
                          timeout=30)
    return done.stdout.decode(errors="replace") if done.returncode == 0 else ""


# RFC 8446, RFC 5246; RFC 8996: no older ones
def test_s_client(program):
    with serving(program) as (port, authority):
        for flag, version in (("-tls1_3", "TLSv1.3"), ("-tls1_2", "TLSv1.2")):
            said = connect(port, authority, flag, "-alpn", "h2,http/1.1")
            assert f"New, {version}" in said and "pong" in said, said
            assert "Verify return code: 0 (ok)" in said and "ALPN protocol: http/1.1" in said, said
        for flags in (("-tls1_1", "-cipher", "ALL:@SECLEVEL=0"), ("-tls1", "-cipher", "ALL:@SECLEVEL=0"),
                      ("-tls1_2", "-cipher", "AES128-SHA256"),  # no forward secrecy
                      ("-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA256"),  # not authenticated as it is encrypted
                      ("-tls1_2", "-cipher", "aNULL:eNULL:@SECLEVEL=0")):
            said = connect(port, authority, *flags)
            assert "pong" not in said, f"{flags}: {said}"
        assert "pong" in connect(port, authority), "not well afterwards"


def findings(report):
    """(severity, id, what) of each entry of testssl's flat JSON."""
    with open(report, encoding="utf-8") as file:
        return [(entry["severity"], entry["id"], entry["finding"]) for entry in json.load(file)]


def test_testssl_finds_nothing_above_low(program):
    if repeats(True, False):
        print("  takes minutes: in the full run only")
        return
    testssl = clients.program("testssl", "testssl.sh")
    with serving(program) as (port, authority):
        report = os.path.join(os.path.dirname(authority), "report.json")
        flags = ["--quiet", "--warnings", "batch", "--color", "0", "--jsonfile", report, "--add-ca", authority]
        what = ["--protocols", "--std", "--fs", "--server-preference", "--server-defaults", "--vulnerable"]
        done = subprocess.run([testssl, *flags, *what, f"127.0.0.1:{port}"], capture_output=True, timeout=500)
        found = findings(report)
        counted = {severity: sum(one[0] == severity for one in found) for severity in {one[0] for one in found}}
        print(f"  {counted}")
        assert counted.get("OK", 0) > 20, f"it has not looked: {done.stdout[-3000:]}"
        severe = [one for one in found if one[0] in SEVERE and not NOT_OURS.match(one[1])]
        assert not severe, "\n".join(f"{severity} {name}: {what}" for severity, name, what in severe)


run(sys.modules[__name__])
