"""Ten thousand connections that trickle heads, eight thousand that rest, and a thousand that ask ten times a
second: the last do not notice the others, and each of those costs what README.md says.

Usage: wire_crowd_test.py FAULT_APP CROWD"""

import resource
import subprocess
import sys

from wire_app import App, repeats, run

CROWD = sys.argv.pop(2)
IDLE_BYTES, HALF_HEAD_BYTES = 1024, 3 * 1024  # of memory for each: README.md, "Limits"
SHARED_BYTES = 16 * 1024 * 1024  # stacks and buffers of those that are being worked on at a time


def crowd_size(hard):
    """Busy, idle, trickling: in these proportions, as many as there are descriptors for."""
    share = min(repeats(0.1, 1.0), (hard - 500) / 19_000)
    return [int(count * share) for count in (1000, 8000, 10_000)]


# FAULTS F19
def test_the_busy_do_not_notice_the_crowd(program):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    busy, idle, trickling = crowd_size(hard)
    print(f"  {busy} busy, {idle} idle, {trickling} trickling; {hard} descriptors")
    options = {"max_connections": hard, "header_time": 5000, "idle_time": 120_000}
    with App(program, **options) as app, App(program, **options) as elsewhere:
        command = [CROWD, app.port, elsewhere.port, busy, idle, trickling, repeats(1, 4)]
        crowd = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
        figures, memory = [], []
        try:
            for line in crowd.stdout:
                when, answered, p99 = line.split()
                figures.append(float(p99))
                memory.append(app.memory_kb() * 1024)
                print(f"  {when}: {answered} answers, p99 {p99} ms, {memory[-1] // 1024} KiB")
            assert crowd.wait(timeout=60) == 0
        finally:
            crowd.kill()
            crowd.wait()
        alone, beside, crowded = figures
        # The crowd is made on the same processors: that alone delays the busy ones, whichever server it meets.
        assert crowded <= 2 * max(alone, beside) + 5, figures
        allowed = idle * IDLE_BYTES + trickling * HALF_HEAD_BYTES + SHARED_BYTES
        assert memory[2] - memory[1] <= allowed, (memory, allowed)


run(sys.modules[__name__])
