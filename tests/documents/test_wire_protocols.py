"""The page of wire protocols shows what the drivers' own codecs read and make, and the times that they keep."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

import pytest

from drivers.angel_eye import frames as angel_frames
from drivers.angel_eye import messages as angel
from drivers.feig import frames as feig_frames
from drivers.feig import messages as feig
from drivers.pn532 import frames as pn532_frames
from drivers.pn532 import messages as pn532
from drivers.shoe.authentication import Pair, Signer
from drivers.shoe.codec import format_device, format_host, parse_device, parse_host
from drivers.shoe.lines import HOST, MAX_SIGNED_BYTES, LineFramer, framed, parse_line
from drivers.shoe.messages import DeviceMessage, HostMessage

PAGE: Final = (Path(__file__).parents[2] / "docs/reference/wire-protocols.md").read_text(encoding="utf-8")
PAIR: Final = Pair(bytes(range(32)), "SH01", "S0012345")
FRAME: Final = re.compile(r"^(?:(host|reader|chip) )?(\w+) +(\$\S+|[0-9A-F]{2}(?: [0-9A-F]{2})+)(?:  -- .*)?$", re.MULTILINE)


class Example(NamedTuple):
    """One frame of the page, its sender where the page names one, and the message that it is said to be."""

    sender: str
    message: str
    raw: bytes


def examples(protocol: str) -> list[Example]:
    _, _, section = PAGE.partition(f"\n## {protocol}\n")
    found = FRAME.findall(section.partition("\n## ")[0])
    return [
        Example(sender, message, f"{raw}\r\n".encode() if raw.startswith("$") else bytes.fromhex(raw))
        for sender, message, raw in found
    ]


def lines_wrong(shown: list[Example]) -> Iterator[str]:
    """TSP/1: what its codec reads otherwise, or would not say so."""
    for _, name, raw in shown:
        for body in LineFramer(MAX_SIGNED_BYTES).feed(raw) or (b"",):
            checked = Signer(PAIR, is_host=False).check(0.0, body)
            plain = checked.body if checked is not None else body
            line = parse_line(plain) if plain else None
            if line is None:
                yield f"{name}: no good line"
                continue
            made: bytes
            if line.node == HOST:
                asked = parse_host(line)
                kind, made = type(asked).__name__, format_host(asked)
            else:
                told = parse_device(line)
                kind, made = type(told).__name__, format_device(line.node, told)
            again = Signer(PAIR, is_host=True).sign(made, is_opening=True) if checked is not None else made
            if (kind, again) != (name, framed(body, MAX_SIGNED_BYTES)):
                yield f"{name}: {kind}"


def reports_wrong(shown: list[Example]) -> Iterator[str]:
    """Angel Eye."""
    for _, name, raw in shown:
        frames = angel_frames.FrameDecoder().feed(raw)
        told = [angel.read_report(frame.data) for frame in frames]
        made = [
            angel_frames.encode(angel_frames.Frame(frame.seq, angel.write_report(one)))
            for frame, one in zip(frames, told, strict=True)
        ]
        if made != [raw] or type(told[0]).__name__ != name:
            yield name


def feig_wrong(shown: list[Example]) -> Iterator[str]:
    """FEIG: questions and answers in turn."""
    asked: feig.Request | None = None
    for sender, name, raw in shown:
        role = feig_frames.Role.READER if sender == "host" else feig_frames.Role.HOST
        frames = feig_frames.FrameDecoder(role).feed(raw, 0.0)
        if len(frames) != 1 or (asked is None and sender != "host"):
            yield name
        elif sender == "host":
            asked = feig.read_request(frames[0])
            made = feig_frames.encode(feig.request_frame(asked, frames[0].address, advanced=frames[0].advanced))
            if (type(asked).__name__, made) != (name, raw):
                yield name
        elif asked is not None:
            answer = feig.read_answer(frames[0], asked)
            control = feig.Control(feig.control_of(asked))
            made = feig_frames.encode(feig.answer_frame(answer, control, frames[0].address, advanced=frames[0].advanced))
            if (type(answer).__name__, made) != (name, raw):
                yield name


def pn532_wrong(shown: list[Example]) -> Iterator[str]:
    """PN532: questions and answers in turn, and the signals."""
    asked: pn532.Request | None = None
    for sender, name, raw in shown:
        towards = pn532_frames.Direction.TO_CHIP if sender == "host" else pn532_frames.Direction.TO_HOST
        items = pn532_frames.FrameDecoder(towards).feed(raw, 0.0)
        match items:
            case (pn532_frames.Signal() as signal,):
                kind, made = signal.name, pn532_frames.encode(signal)
            case (pn532_frames.Frame() as frame,) if sender == "host":
                asked = pn532.read_request(frame)
                kind, made = type(asked).__name__, pn532_frames.encode(pn532.request_frame(asked))
            case (pn532_frames.Frame() as frame,) if asked is not None:
                answer = pn532.read_answer(frame, asked)
                kind = type(answer).__name__
                made = pn532_frames.encode(pn532.answer_frame(answer, pn532.code_of(asked)))
            case _:
                kind, made = "nothing", b""
        if (kind, made) != (name, raw):
            yield name


CODECS: Final[dict[str, Any]] = {
    "TSP/1": lines_wrong,
    "Angel Eye": reports_wrong,
    "FEIG OBID i-scan": feig_wrong,
    "PN532": pn532_wrong,
}
KNOWN: Final[dict[str, tuple[Any, ...]]] = {
    "TSP/1": get_args(HostMessage) + get_args(DeviceMessage),
    "Angel Eye": get_args(angel.Report),
    "FEIG OBID i-scan": tuple(one for one in get_args(feig.Request) if one is not feig.Forward) + get_args(feig.Answer),
    "PN532": get_args(pn532.Request) + get_args(pn532.Answer),
}
"""Every message of a codec; ``Forward`` of FEIG is whatever another package sends, and no one frame."""


@pytest.mark.parametrize("protocol", CODECS)
def test_each_frame_is_what_its_driver_reads_and_makes(protocol: str) -> None:
    """The driver's codec reads the bytes as the message that the page names, and makes the same bytes of it."""
    assert not list(CODECS[protocol](examples(protocol)))


@pytest.mark.parametrize("protocol", CODECS)
def test_a_wrong_frame_is_found(protocol: str) -> None:
    """One flipped bit in the last byte of a check, or another name, is not as the driver has it."""
    first, *rest = examples(protocol)
    end = -3 if first.raw.startswith(b"$") else -2 if protocol == "PN532" else -1
    spoilt = bytearray(first.raw)
    spoilt[end] ^= 1
    assert list(CODECS[protocol]([first._replace(raw=bytes(spoilt)), *rest]))
    assert list(CODECS[protocol]([first._replace(message="Another"), *rest]))


@pytest.mark.parametrize("protocol", CODECS)
def test_every_message_of_a_codec_has_a_frame(protocol: str) -> None:
    """Nothing that a driver can say or hear is missing from the page."""
    assert {one.__name__ for one in KNOWN[protocol]} <= {example.message for example in examples(protocol)}


def value_of(path: str) -> float:
    """A constant of the drivers, or the default of a dataclass's field."""
    package, module, name, *field = path.split(".")
    found = getattr(importlib.import_module(f"drivers.{package}.{module}"), name)
    if field:
        assert is_dataclass(found)
        (found,) = (one.default for one in fields(found) if one.name == field[0] and one.default is not MISSING)
    return float(found)


def test_each_time_is_the_drivers() -> None:
    """The seconds on the page are those of the constants that it names."""
    told = re.findall(r"^\| .+ \| ([\d.]+) \| `([\w.]+)` \|$", PAGE, flags=re.MULTILINE)
    assert len(told) == PAGE.count("` |\n") > 20
    assert not [path for seconds, path in told if float(seconds) != value_of(path)]
