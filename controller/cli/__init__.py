"""``stud-table``: every command. Exit 0 success, 1 what was checked does not hold, 2 wrong use or configuration, 3 fenced."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper

from controller.cli.commands import parser_of
from controller.cli.parsing import DOES_NOT_HOLD, FENCED, OK, WRONG_USE, UsageError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. ``--version`` and a command load nothing of the other commands."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal or pipe of few letters gets a ? for those that it has not
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        options = parser_of(next(iter(given), "")).parse_args(given)
        return int(options.run(options))
    except UsageError as error:
        return _told(error, WRONG_USE)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return OK
    except Exception as error:
        code = _code_of(error)
        if code is None:
            raise
        return _told(error, code)


def _told(error: Exception, code: int) -> int:
    said: object = error
    if isinstance(error, OSError) and error.strerror:
        said = f"{'' if error.filename is None else f'{error.filename}: '}{error.strerror}"
    sys.stderr.write(f"stud-table: {said}\n")
    return code


def _code_of(error: Exception) -> int | None:
    """With what ``error`` ends a command; ``None`` for a fault of our own. What is loaded here was needed to raise it, or is not
    needed again."""
    from controller.app import FencedError
    from controller.config import ConfigError
    from controller.demo import ControllerEnded
    from controller.hand.rules import HouseRulesError
    from controller.journal.codec import CodecError
    from controller.journal.errors import JournalBusy, JournalError
    from controller.journal.sealing import SealError
    from controller.manifest import ManifestError
    from controller.mqtt.broker import BrokerError
    from controller.table.state import ChipsDisagree
    from simulators.console import ConsoleError
    from simulators.dealer import DealerStuck
    from simulators.recorded import RecordedHandError

    match error:
        case ConfigError() | HouseRulesError() | SealError() | JournalBusy() | BrokerError() | RecordedHandError():
            return WRONG_USE
        case (
            JournalError() | ChipsDisagree() | CodecError() | ManifestError() | ControllerEnded() | ConsoleError() | DealerStuck()
        ):
            return DOES_NOT_HOLD
        case FencedError():
            return FENCED
        case OSError():
            return WRONG_USE
        case _:
            return None
