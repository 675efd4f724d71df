"""Starts one of the small processes of a latency run or, behind ``floor``, of a floor run."""

import sys

from controller.bench import floor_probe, probe

match sys.argv[1:]:
    case ["floor", *arguments]:
        floor_probe.main(arguments)
    case arguments:
        probe.main(arguments)
