"""``stud-table``: every command. Exit 0 success, 1 what was checked does not hold, 2 wrong use or configuration, 3 fenced."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version

from controller.app import FencedError
from controller.cli.bench import add_bench_command
from controller.cli.check import add_check_command
from controller.cli.device import add_device_commands
from controller.cli.export import add_export_command
from controller.cli.hands import add_hand_commands
from controller.cli.manifest import add_manifest_command
from controller.cli.parsing import DOES_NOT_HOLD, FENCED, OK, WRONG_USE, Parser, UsageError
from controller.cli.table import add_table_commands
from controller.config import ConfigError
from controller.demo import ControllerEnded
from controller.hand.rules import HouseRulesError
from controller.journal.errors import JournalBusy, JournalError
from controller.journal.sealing import SealError
from controller.manifest import ManifestError
from controller.mqtt.broker import BrokerError
from simulators.console import ConsoleError
from simulators.dealer import DealerStuck
from simulators.recorded import RecordedHandError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (UsageError, ConfigError, HouseRulesError, RecordedHandError, BrokerError, SealError, JournalBusy) as error:
        sys.stderr.write(f"stud-table: {error}\n")
        return WRONG_USE
    except (JournalError, ManifestError, ControllerEnded, DealerStuck, ConsoleError) as error:
        sys.stderr.write(f"stud-table: {error}\n")
        return DOES_NOT_HOLD
    except FencedError as error:
        sys.stderr.write(f"stud-table: {error}\n")
        return FENCED
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return OK
    except OSError as error:
        what = "" if error.filename is None else f"{error.filename}: "
        sys.stderr.write(f"stud-table: {what}{error.strerror or error}\n")
        return WRONG_USE


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="stud-table", description="Controller of a physical seven card stud table.")
    parser.add_argument("--version", action="version", version=f"stud-table {version('stud-table')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    add_table_commands(commands)
    add_check_command(commands)
    add_hand_commands(commands)
    add_manifest_command(commands)
    add_device_commands(commands)
    add_export_command(commands)
    add_bench_command(commands)
    return parser
