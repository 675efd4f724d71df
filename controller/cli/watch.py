"""``watch``: a table's displays and events in a terminal, over MQTT alone."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from controller.cli.parsing import OK, UsageError, add_command, address, language, somewhere
from controller.displays.terminal import watch, watch_events
from controller.mqtt.client import Connection
from controller.mqtt.topics import TableTopics
from controller.tls import ClientTls, TlsError
from controller.words.catalogue import Language
from drivers.clock import SystemClock


def add_watch_command(commands: Any) -> None:
    """Add ``watch``."""
    about = "a seat display, or the public one, in this terminal, over MQTT; or every public event, one a line"
    parser = add_command(
        commands, "watch", _watch, about, "stud-table watch --broker mqtt://127.0.0.1:1883 --seat 3 --language fr"
    )
    parser.add_argument("--seat", type=int, choices=range(1, 9), metavar="N", help="a seat's display (default: the public one)")
    parser.add_argument(
        "--broker", default="mqtt://127.0.0.1:1883", metavar="URL", help="the table's broker; a demo prints its own"
    )
    about = "folder that stud-table keys issue made: the connection is encrypted, and its certificate says who watches"
    parser.add_argument("--identity", type=somewhere, metavar="DIR", help=about)
    parser.add_argument("--venue", default="demo", help="venue in the topics (default demo)")
    parser.add_argument("--table", default="T1", help="table in the topics (default T1)")
    parser.add_argument("--language", choices=("en", "fr"), help="language of the texts (default: by LANG)")
    parser.add_argument(
        "--events", action="store_true", help="print every public event as JSON, once and in order, lost ones too"
    )
    parser.add_argument("--after", type=int, default=0, metavar="SEQ", help="with --events: those behind this record (default 0)")


def _watch(options: argparse.Namespace) -> int:
    host, port = address(options.broker)
    try:
        topics = TableTopics(options.venue, options.table)
    except ValueError as error:
        raise UsageError(str(error)) from None
    connection = Connection(host, port, f"watch-{os.getpid()}", tls=_identity(options.identity))
    chosen = language() if options.language is None else Language(options.language)
    clock = SystemClock()
    if options.events:
        if options.seat is not None:
            raise UsageError("--seat does not go with --events, which tells what everybody may see: leave one of them out")
        if not 0 <= options.after < 2**63:
            raise UsageError(f"--after {options.after}: records are counted from 1")
        write = partial(print, end="", flush=True)
        asyncio.run(watch_events(connection, topics, random.Random(), clock, write, after_seq=options.after, language=chosen))
    elif options.after:
        raise UsageError("--after goes with --events: a display shows the table as it is now")
    else:
        asyncio.run(watch(connection, topics, Console(), random.Random(), seat=options.seat, language=chosen, clock=clock))
    return OK


def _identity(folder: Path | None) -> ClientTls | None:
    """Who watches by that folder; ``UsageError`` when its files cannot be used."""
    if folder is None:
        return None
    from controller.keys.authority import AUTHORITY
    from controller.keys.folder import CERTIFICATE, KEY

    tls = ClientTls(folder / AUTHORITY, folder / CERTIFICATE, folder / KEY)
    try:
        tls.context()
    except TlsError as error:
        raise UsageError(f"--identity: {error}") from None
    return tls
