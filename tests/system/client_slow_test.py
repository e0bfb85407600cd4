"""slowhttptest in its four modes at once: slow heads, slow bodies, slow readers, many ranges. The service stays
available, the connections end by its limits, and memory is bounded. Usage: ... FAULT_APP"""

import resource
import sys
import time

from attack import Attack, Beside, for_a_while, p99
from wire_app import App, repeats, run, unsent_bytes, wait_for

LIMIT = 3  # seconds, of a head, of a request, and of an answer that nobody takes


def attacks(app, each, seconds):
    root = f"http://127.0.0.1:{app.port}"
    return [
        Attack("slow heads", "-H -i 1 -x 20", f"{root}/ping", each, seconds),
        Attack("slow bodies", "-B -i 1 -x 20 -s 8192", f"{root}/echo", each, seconds),
        Attack("slow readers", "-X -w 10 -y 20 -n 1 -z 5 -k 3", f"{root}/big?bytes=100000", each, seconds),
        Attack("slow readers of a stream", "-X -w 10 -y 20 -n 1 -z 5", f"{root}/stream?bytes=20000000", each,
               seconds),
        Attack("ranges", "-R -a 1 -b 3000", f"{root}/big?bytes=10000", each, seconds),
    ]


# FAULTS F19, F22
def test_four_kinds_of_slow_clients_at_once(program):
    each, seconds = repeats(200, 1000), repeats(10, 14)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    limits = {name: LIMIT * 1000 for name in ("header_time", "request_budget", "write_stall", "idle_time")}
    with App(program, **limits) as app:
        before, _ = for_a_while(app.port, 2)
        memory = app.memory_kb()
        running = []
        try:
            with Beside(app.port) as other:
                running = attacks(app, each, seconds)
                most = 0
                while any(attack.process.poll() is None for attack in running):
                    most = max(most, app.memory_kb())
                    time.sleep(0.1)
            done = [attack.wait(timeout=10) for attack in running]
        finally:
            for attack in running:
                attack.kill()
        hiccup, during = p99(other.wakes), p99(other.answers)
        grown = (most - memory) * 1024 / (len(done) * each)
        print(f"  another client's p99: {before * 1000:.2f} ms before, {during * 1000:.2f} ms meanwhile; "
              f"the machine's hiccups {hiccup * 1000:.2f} ms; {grown / 1024:.1f} KiB of memory a connection")
        for attack in done:
            print(f"  {attack.name}: {attack.seconds}")
            assert attack.always_available(), f"{attack.name}: {attack.said}"
            # A slow reader does not see that it was closed: that lies behind what it has not read.
            assert attack.name.startswith("slow readers") or attack.all_closed(), f"{attack.name}: {attack.said}"
        assert not other.failures, other.failures
        assert during < 0.05 + 5 * before + 5 * hiccup, (before, during, hiccup)
        # A slow body and a stream hold a fiber and its buffers; an answer that nobody takes is kept whole.
        assert grown < 150 * 1024, grown
        wait_for(lambda: app.open_descriptors() <= app.descriptors + 1, "connections are left", within=15)
        wait_for(lambda: unsent_bytes(app.port) == 0, "the kernel keeps what nobody takes", within=15)


run(sys.modules[__name__])
