"""Every command by its first word. A command loads its own modules and nothing of the others."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, Final

from controller.cli.parsing import Parser


def _demo(commands: Any) -> None:
    from controller.cli.demo import add_demo_command

    add_demo_command(commands)


def _rehearse(commands: Any) -> None:
    from controller.cli.rehearse import add_rehearse_command

    add_rehearse_command(commands)


def _run(commands: Any) -> None:
    from controller.cli.run import add_run_command

    add_run_command(commands)


def _watch(commands: Any) -> None:
    from controller.cli.watch import add_watch_command

    add_watch_command(commands)


def _floor(commands: Any) -> None:
    from controller.cli.floor import add_floor_command

    add_floor_command(commands)


def _simulate(commands: Any) -> None:
    from controller.cli.simulate import add_simulate_command

    add_simulate_command(commands)


def _check(commands: Any) -> None:
    from controller.cli.check import add_check_command

    add_check_command(commands)


def _cards(commands: Any) -> None:
    from controller.cli.cards import add_cards_command

    add_cards_command(commands)


def _calibrate(commands: Any) -> None:
    from controller.cli.calibrate import add_calibrate_command

    add_calibrate_command(commands)


def _hands(commands: Any) -> None:
    from controller.cli.hands import add_hand_commands

    add_hand_commands(commands)


def _walk(commands: Any) -> None:
    from controller.cli.walk import add_walk_command

    add_walk_command(commands)


def _failures(commands: Any) -> None:
    from controller.cli.failures import add_failures_command

    add_failures_command(commands)


def _backup(commands: Any) -> None:
    from controller.cli.backup import add_backup_command

    add_backup_command(commands)


def _audit(commands: Any) -> None:
    from controller.cli.audit import add_audit_commands

    add_audit_commands(commands)


def _manifest(commands: Any) -> None:
    from controller.cli.manifest import add_manifest_command

    add_manifest_command(commands)


def _doctor(commands: Any) -> None:
    from controller.cli.doctor import add_doctor_command

    add_doctor_command(commands)


def _deck(commands: Any) -> None:
    from controller.cli.deck import add_deck_commands

    add_deck_commands(commands)


def _people(commands: Any) -> None:
    from controller.cli.people import add_people_commands

    add_people_commands(commands)


def _keys(commands: Any) -> None:
    from controller.cli.keys import add_keys_commands

    add_keys_commands(commands)


def _broker(commands: Any) -> None:
    from controller.cli.broker import add_broker_command

    add_broker_command(commands)


def _device(commands: Any) -> None:
    from controller.cli.device import add_device_commands

    add_device_commands(commands)


def _export(commands: Any) -> None:
    from controller.cli.export import add_export_command

    add_export_command(commands)


def _bench(commands: Any) -> None:
    from controller.cli.bench import add_bench_command

    add_bench_command(commands)


def _restore(commands: Any) -> None:
    from controller.cli.backup import add_restore_command

    add_restore_command(commands)


def _formats(commands: Any) -> None:
    from controller.cli.formats import add_formats_command

    add_formats_command(commands)


def _init(commands: Any) -> None:
    from controller.cli.init import add_init_commands

    add_init_commands(commands)


def _install(commands: Any) -> None:
    from controller.cli.install import add_install_command

    add_install_command(commands)


COMMANDS: Final[Mapping[str, Callable[[Any], None]]] = {
    "demo": _demo,
    "run": _run,
    "rehearse": _rehearse,
    "watch": _watch,
    "floor": _floor,
    "simulate": _simulate,
    "check": _check,
    "cards": _cards,
    "calibrate": _calibrate,
    "replay": _hands,
    "verify": _hands,
    "walk": _walk,
    "failures": _failures,
    "backup": _backup,
    "restore": _restore,
    "formats": _formats,
    "audit": _audit,
    "manifest": _manifest,
    "init": _init,
    "install": _install,
    "deck": _deck,
    "doctor": _doctor,
    "people": _people,
    "keys": _keys,
    "broker": _broker,
    "device": _device,
    "export": _export,
    "bench": _bench,
}
"""Who adds the command of that name."""


def parser_of(word: str = "") -> argparse.ArgumentParser:
    """The parser that knows the command ``word``; every command where it is none, and none for the version alone."""
    parser = Parser(prog="stud-table", description="Controller of a physical seven card stud table.")
    parser.add_argument("--version", action="version", version=f"stud-table {version('stud-table')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    wanted = [] if word == "--version" else [COMMANDS[word]] if word in COMMANDS else list(COMMANDS.values())
    for add in dict.fromkeys(wanted):
        add(commands)
    return parser
