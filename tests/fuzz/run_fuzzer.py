"""Runs one fuzz target on fresh inputs for a while, starting from seeds. Arguments: program, folder of seeds.
An input that fails is left in the current folder."""

import os
import sys
import tempfile

program, seeds = sys.argv[1:3]
seconds = 120 if os.environ.get("HEDDLE_REPEAT") == "full" else 10
with tempfile.TemporaryDirectory() as found:
    sys.exit(os.spawnv(os.P_WAIT, program, [program, f"-max_total_time={seconds}", "-max_len=4096", "-verbosity=0",
                                            found, seeds]) != 0)
