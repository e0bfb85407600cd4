"""slowhttptest in its four modes: slow heads, slow bodies, slow readers, many ranges, two of them at a time. The
service stays available, the connections end by its limits, and memory is bounded. Usage: ... FAULT_APP"""

import resource
import sys
import time

from attack import Attack, Beside, for_a_while, p99
from wire_app import App, repeats, run, unsent_bytes, wait_for

LIMIT = 3  # seconds, of a head, of a request, and of an answer that nobody takes


def under(program, each, *attacks):
    """What `attacks` (name, flags, path, seconds at most) come to, side by side, and another client beside them."""
    limits = {name: LIMIT * 1000 for name in ("header_time", "request_budget", "write_stall", "idle_time")}
    # Whoever sends a slow body, or reads a stream slowly, has one of these.
    with App(program, max_requests=3 * each, **limits) as app:
        before, _ = for_a_while(app.port, 1)
        memory = most = app.memory_kb()
        running = []
        try:
            with Beside(app.port) as other:
                running = [Attack(name, flags, f"http://127.0.0.1:{app.port}{path}", each, seconds)
                           for name, flags, path, seconds in attacks]
                while any(attack.process.poll() is None for attack in running):
                    most = max(most, app.memory_kb())
                    time.sleep(0.1)
            done = [attack.wait(timeout=10) for attack in running]
        finally:
            for attack in running:
                attack.kill()
        hiccup, during = p99(other.wakes), p99(other.answers)
        grown = (most - memory) / (len(done) * each)
        print(f"  {', '.join(attack.name for attack in done)}: another client's p99 {before * 1000:.2f} ms before, "
              f"{during * 1000:.2f} ms meanwhile, hiccups {hiccup * 1000:.2f} ms; {grown:.1f} KiB a connection")
        for attack in done:
            assert attack.always_available(), f"{attack.name}: {attack.seconds} {attack.said}"
            assert attack.most_connected() > 0, f"{attack.name}: {attack.seconds} {attack.said}"
        assert not other.failures, other.failures
        assert during < 0.25 + 5 * before + 5 * hiccup, (before, during, hiccup)
        # Somebody who is answered holds a fiber and its buffers, and an answer that nobody takes is kept whole.
        assert grown < 150, grown
        wait_for(lambda: app.open_descriptors() <= app.descriptors + 1, "connections are left", within=15)
        wait_for(lambda: unsent_bytes(app.port) == 0, "the kernel keeps what nobody takes", within=15)
        return done


# FAULTS F19, F22
def test_slow_clients_of_four_kinds(program):
    """A slow reader does not see that he was closed, as that lies behind what he has not read: for him there is
    what the server holds afterwards."""
    each, reading = repeats(200, 400), repeats(6, 14)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    heads, _ = under(program, each, ("slow heads", "-H -i 1 -x 20", "/ping", 60),
                     ("slow readers", "-X -w 10 -y 20 -n 1 -z 5 -k 3", "/big?bytes=100000", reading))
    bodies, _ = under(program, each, ("slow bodies", "-B -i 1 -x 20 -s 8192", "/echo", 60),
                      ("slow readers of a stream", "-X -w 10 -y 20 -n 1 -z 5", "/stream?bytes=20000000", reading))
    ranges, = under(program, each, ("ranges", "-R -a 1 -b 3000", "/big?bytes=10000", 60))
    for attack in (heads, bodies, ranges):
        assert attack.all_closed(), f"{attack.name}: {attack.seconds} {attack.said}"


run(sys.modules[__name__])
