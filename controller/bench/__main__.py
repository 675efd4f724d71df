"""Starts one of the small processes of a latency run."""

import sys

from controller.bench.probe import main

main(sys.argv[1:])
