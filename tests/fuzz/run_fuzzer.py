"""Runs one fuzz target on a fixed number of inputs, the same ones each time, made from its seeds.
Arguments: program, folder of seeds, longest input. An input that fails is left in the current folder."""

import os
import subprocess
import sys
import tempfile

program, seeds, longest = sys.argv[1:]
inputs = 200_000 if os.environ.get("HEDDLE_REPEAT") == "full" else 20_000
with tempfile.TemporaryDirectory() as found:
    done = subprocess.run([program, f"-runs={inputs}", "-seed=1", f"-max_len={longest}", "-timeout=20", "-verbosity=0",
                           "-print_final_stats=1", f"-artifact_prefix={os.path.basename(program)}-", found, seeds],
                          check=False)
sys.exit(done.returncode != 0)
