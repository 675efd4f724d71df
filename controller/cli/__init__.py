"""``stud-table``: every command. Exit 0 success, 1 what was checked does not hold, 2 wrong use or configuration, 3 fenced."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from controller.app import FencedError
from controller.cli.parsing import DOES_NOT_HOLD, FENCED, OK, WRONG_USE, Parser, UsageError
from controller.config import ConfigError
from controller.hand.rules import HouseRulesError
from controller.journal.errors import JournalBusy, JournalError
from controller.journal.sealing import SealError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. ``run`` loads nothing of the others: a table at work is smaller by 10 MB."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    options = (_run_parser() if given[:1] == ["run"] else _parser()).parse_args(given)
    try:
        return int(options.run(options))
    except _wrong_use() as error:
        sys.stderr.write(f"stud-table: {error}\n")
        return WRONG_USE
    except _do_not_hold() as error:
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


def _wrong_use() -> tuple[type[Exception], ...]:
    """Errors of all commands; asked for when something was raised, not before."""
    from controller.mqtt.broker import BrokerError
    from simulators.recorded import RecordedHandError

    return UsageError, ConfigError, HouseRulesError, SealError, JournalBusy, BrokerError, RecordedHandError


def _do_not_hold() -> tuple[type[Exception], ...]:
    from controller.demo import ControllerEnded
    from controller.manifest import ManifestError
    from controller.table.state import ChipsDisagree
    from simulators.console import ConsoleError
    from simulators.dealer import DealerStuck

    return JournalError, ChipsDisagree, ManifestError, ControllerEnded, ConsoleError, DealerStuck


def _empty_parser() -> tuple[argparse.ArgumentParser, Any]:
    parser = Parser(prog="stud-table", description="Controller of a physical seven card stud table.")
    parser.add_argument("--version", action="version", version=f"stud-table {version('stud-table')}")
    return parser, parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)


def _run_parser() -> argparse.ArgumentParser:
    from controller.cli.run import add_run_command

    parser, commands = _empty_parser()
    add_run_command(commands)
    return parser


def _parser() -> argparse.ArgumentParser:
    from controller.cli.audit import add_audit_commands
    from controller.cli.backup import add_backup_command
    from controller.cli.bench import add_bench_command
    from controller.cli.calibrate import add_calibrate_command
    from controller.cli.check import add_check_command
    from controller.cli.deck import add_deck_commands
    from controller.cli.device import add_device_commands
    from controller.cli.export import add_export_command
    from controller.cli.failures import add_failures_command
    from controller.cli.floor import add_floor_command
    from controller.cli.hands import add_hand_commands
    from controller.cli.manifest import add_manifest_command
    from controller.cli.people import add_people_commands
    from controller.cli.simulate import add_simulate_command
    from controller.cli.table import add_table_commands

    parser, commands = _empty_parser()
    add_table_commands(commands)
    add_floor_command(commands)
    add_simulate_command(commands)
    add_check_command(commands)
    add_calibrate_command(commands)
    add_hand_commands(commands)
    add_failures_command(commands)
    add_backup_command(commands)
    add_audit_commands(commands)
    add_manifest_command(commands)
    add_deck_commands(commands)
    add_people_commands(commands)
    add_device_commands(commands)
    add_export_command(commands)
    add_bench_command(commands)
    return parser
