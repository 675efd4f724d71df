"""FEIG messages: what each command carries, tags in one form, statuses with a meaning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.feig.frames import Frame, FrameDecoder, Role, encode
from drivers.feig.messages import (
    Answer,
    AskInfo,
    AskVersion,
    ConfigBlock,
    Control,
    CpuReset,
    Done,
    Info,
    Inventory,
    MessageError,
    Ping,
    ReadConfig,
    Refused,
    Request,
    RfPower,
    RfReset,
    Tags,
    Version,
    WriteConfig,
    answer_frame,
    canonical_uid,
    control_of,
    read_answer,
    read_request,
    request_frame,
)
from drivers.feig.settings import lists_only_new, response_ms, with_all_listed, with_response_ms
from drivers.feig.status import Status, meaning_of

ONE, TWO, THREE = "E00401009A3B7C21", "E00401009A3B7C55", "E0040100A1B2C3D4"

REQUESTS: list[tuple[Request, int, bool, str]] = [
    (AskVersion(), 0xFF, False, "05 FF 65 E5 CB"),
    (AskVersion(), 0xFF, True, "02 00 07 FF 65 6E 61"),
    (ReadConfig(7), 0x12, False, "06 12 80 07 E5 80"),
    (ReadConfig(7), 0x12, True, "02 00 08 12 80 07 A0 2D"),
    (Inventory(), 0xFF, True, "02 00 09 FF B0 01 00 18 43"),
    (Ping(), 1, False, "06 01 52 00 20 F2"),
    (CpuReset(), 1, False, "05 01 63 CB 48"),
    (RfReset(), 1, False, "05 01 69 91 E7"),
    (RfPower(on=True), 1, False, "06 01 6A 01 CB 9B"),
    (RfPower(on=False), 1, False, "06 01 6A 00 42 8A"),
    (Inventory(), 1, False, "07 01 B0 01 00 75 8F"),
    (Inventory(more=True), 1, False, "07 01 B0 01 80 7D 0B"),
    (Inventory(), 0xFF, False, "07 FF B0 01 00 1C 56"),
]
ANSWERS: list[tuple[Request, Answer, int, bool, str]] = [
    (AskVersion(), Version(0x0303, 0x00, 0x44, 0x53, 0x0D30), 0, False, "0D 00 65 00 03 03 00 44 53 0D 30 33 09"),
    (AskVersion(), Version(0x0303, 0x00, 0x44, 0x53, 0x0D30), 0, True, "02 00 0F 00 65 00 03 03 00 44 53 0D 30 74 69"),
    (Ping(), Done(), 1, False, "06 01 52 00 20 F2"),
    (CpuReset(), Done(), 1, False, "06 01 63 00 5A 5D"),
    (RfReset(), Done(), 1, False, "06 01 69 00 2A A0"),
    (Inventory(), Tags(()), 1, False, "06 01 B0 01 80 39"),
    (Inventory(), Tags((ONE,)), 1, False, "11 01 B0 00 01 03 00 E0 04 01 00 9A 3B 7C 21 44 D8"),
    (
        Inventory(),
        Tags((ONE, TWO, THREE)),
        1,
        False,
        "25 01 B0 00 03 03 00 E0 04 01 00 9A 3B 7C 21 03 00 E0 04 01 00 9A 3B 7C 55 03 00 E0 04 01 00 A1 B2 C3 D4 85 AA",
    ),
    (
        Inventory(),
        Tags((ONE, TWO), more=True),
        1,
        False,
        "1B 01 B0 94 02 03 00 E0 04 01 00 9A 3B 7C 21 03 00 E0 04 01 00 9A 3B 7C 55 FF 9C",
    ),
    (Inventory(), Tags((ONE,), clean=False), 1, False, "11 01 B0 83 01 03 00 E0 04 01 00 9A 3B 7C 21 6A F1"),
    (Inventory(), Tags((ONE,)), 1, True, "02 00 13 01 B0 00 01 03 00 E0 04 01 00 9A 3B 7C 21 9F 9C"),
]


@pytest.mark.parametrize(("request_", "address", "advanced", "raw"), REQUESTS)
def test_golden_requests(request_: Request, address: int, advanced: bool, raw: str) -> None:
    """Each verified request is made byte for byte, and read back by a reader."""
    assert encode(request_frame(request_, address, advanced=advanced)) == bytes.fromhex(raw)
    (frame,) = FrameDecoder(Role.READER).feed(bytes.fromhex(raw), 0.0)
    assert (read_request(frame), frame.address, frame.advanced) == (request_, address, advanced)


@pytest.mark.parametrize(("request_", "answer", "address", "advanced", "raw"), ANSWERS)
def test_golden_answers(request_: Request, answer: Answer, address: int, advanced: bool, raw: str) -> None:
    """Each verified answer is made byte for byte, and read back by the host."""
    assert encode(answer_frame(answer, control_of(request_), address, advanced=advanced)) == bytes.fromhex(raw)
    (frame,) = FrameDecoder(Role.HOST).feed(bytes.fromhex(raw), 0.0)
    assert read_answer(frame, request_) == answer


def test_settings_and_info_survive_the_way() -> None:
    """Configuration blocks, stored or not, and reader info come through both ends unchanged."""
    record = bytes(range(14))
    requests: list[Request] = [
        ReadConfig(5, stored=True),
        WriteConfig(5, record),
        WriteConfig(1, record, stored=True),
        AskInfo(0x80),
    ]
    for asked in requests:
        assert read_request(request_frame(asked, 3)) == asked
    assert read_answer(answer_frame(ConfigBlock(record), Control.READ_CONFIG, 3), ReadConfig(5)) == ConfigBlock(record)
    assert read_answer(answer_frame(Info(b"\x01\x02"), Control.INFO, 3), AskInfo()) == Info(b"\x01\x02")
    with pytest.raises(ValueError, match="14 bytes, not 13"):
        request_frame(WriteConfig(5, bytes(13)), 3)


def test_fields_of_the_settings() -> None:
    """ONT is bit 0 of byte 11 of CFG5; the response time is bytes 6 and 7 of CFG1 in steps of 100 ms."""
    anticollision = bytes.fromhex("02 00 00 00 00 00 00 00 00 00 00 01 00 00")
    assert lists_only_new(anticollision)
    assert with_all_listed(anticollision).hex(" ") == "02 00 00 00 00 00 00 00 00 00 00 00 00 00"
    interface = bytes.fromhex("00 00 08 01 00 00 00 1E 00 00 00 00 00 00")
    assert response_ms(interface) == 3000
    assert with_response_ms(interface, 300).hex(" ") == "00 00 08 01 00 00 00 03 00 00 00 00 00 00"
    assert response_ms(with_response_ms(interface, 1)) == 100


def inventory(payload: str) -> Answer:
    return read_answer(Frame(1, Control.ISO_15693, bytes.fromhex(payload)), Inventory())


def test_uids_have_one_form() -> None:
    """A UID sent in the order of the air is turned: upper-case hex, E0 first; eight other bytes are none."""
    assert canonical_uid(bytes.fromhex("E0 04 01 00 9A 3B 7C 21")) == ONE
    assert canonical_uid(bytes.fromhex("21 7C 3B 9A 00 01 04 E0")) == ONE
    assert canonical_uid(bytes.fromhex("E0 7C 3B 9A 00 01 04 E0")) == "E07C3B9A000104E0"
    assert canonical_uid(bytes.fromhex("21 7C 3B 9A 00 01 04 21")) is None
    assert canonical_uid(bytes.fromhex("E0 04 01")) is None


def test_odd_records_leave_the_scan_unclean() -> None:
    """A garbled UID or a tag of another air interface is no card, and what it hides is not absent."""
    assert inventory("00 02 03 00 11 04 01 00 9A 3B 7C 21 03 00 E0 04 01 00 9A 3B 7C 55") == Tags((TWO,), clean=False)
    assert inventory("00 02 03 00 E0 04 01 00 9A 3B 7C 21 04 00 09 08 07") == Tags((ONE,), clean=False)


def test_a_tag_listed_twice_counts_once() -> None:
    """A double report is one tag."""
    record = "03 00 E0 04 01 00 9A 3B 7C 21 "
    assert inventory("00 02 " + record + record) == Tags((ONE,))


def test_error_statuses_keep_the_tags() -> None:
    """83 and 84, with or without data, and 93 with data are a scan that is not clean; other errors carry nothing (FEIG §2.2)."""
    assert inventory("84 01 03 00 E0 04 01 00 9A 3B 7C 21") == Tags((ONE,), clean=False)
    assert inventory("83") == Tags((), clean=False)
    assert inventory("93 01 03 00 E0 04 01 00 9A 3B 7C 21") == Tags((ONE,), clean=False)
    assert inventory("93") == Refused(Status.OVERFLOW)
    assert inventory("0F") == Refused(Status.BUSY)
    assert inventory("95 02") == Refused(Status.TAG_ERROR)
    assert inventory("00 00") == Tags(())


@pytest.mark.parametrize(
    ("payload", "match"),
    [
        ("00", "does not say how many"),
        ("00 02 03 00 E0 04 01 00 9A 3B 7C 21", "announces 2 tags and holds 1"),
        ("00 01 03 00 E0 04", "ends inside number 1"),
        ("00 01 03 00 E0 04 01 00 9A 3B 7C 21 00", "announces 1 tags and holds 11 bytes"),
    ],
)
def test_lengths_that_do_not_fit(payload: str, match: str) -> None:
    """An inventory whose length does not fit its count is refused, and the words tell no tag."""
    with pytest.raises(MessageError, match=match) as refusal:
        inventory(payload)
    assert "9A3B" not in str(refusal.value).upper().replace(" ", "")


def test_short_answers_are_refused() -> None:
    """A version of six bytes and a configuration block of thirteen are no answers."""
    with pytest.raises(MessageError, match="answer to 65 has 6 bytes of data where 7 are due"):
        read_answer(Frame(1, 0x65, bytes(7)), AskVersion())
    with pytest.raises(MessageError, match="answer to 80 has 13 bytes of data where 14 are due"):
        read_answer(Frame(1, 0x80, bytes(14)), ReadConfig(1))


def test_every_status_has_a_meaning() -> None:
    """Listed statuses say what they mean; others say that no manual lists them."""
    assert all(status.meaning for status in Status)
    assert Refused(0x0F).meaning == "the reader is busy"
    assert meaning_of(0x77) == "status 77, which no manual lists"


@given(st.integers(0, 255), st.binary(max_size=40), st.sampled_from([asked for asked, *_ in REQUESTS]))
def test_any_content_is_read_or_refused(control: int, payload: bytes, asked: Request) -> None:
    """Whatever a valid frame holds, it is read or refused with a MessageError, never worse."""
    for attempt in (
        lambda: read_request(Frame(1, control, payload)),
        lambda: read_answer(Frame(1, control, payload or b"\x00"), asked),
    ):
        try:
            attempt()
        except MessageError:
            continue


def test_repr_tells_no_tag() -> None:
    """Tags stay out of log lines."""
    assert repr(Tags((ONE,))) == "Tags(clean=True, more=False)"
