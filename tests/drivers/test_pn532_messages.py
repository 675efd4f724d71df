"""PN532 commands and answers: golden contents in both directions, and contents that cannot be."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.pn532.frames import Direction, Frame, FrameDecoder, encode
from drivers.pn532.messages import (
    SYNTAX,
    Answer,
    AskFirmware,
    Diagnose,
    Done,
    Echo,
    Firmware,
    ListTargets,
    MessageError,
    Refused,
    Release,
    Request,
    RfField,
    SamConfiguration,
    SetRetries,
    Target,
    Targets,
    answer_frame,
    is_random_uid,
    read_answer,
    read_request,
    request_frame,
)

ONE = Target(1, 0x0044, 0x00, "04A1B2C3D4E5F0")
TWO = Target(2, 0x0044, 0x00, "04112233445566")

# Every verified frame of PN532 §2.3, typed out: command, its bytes, answer, its bytes.
GOLDEN: list[tuple[Request, str, Answer, str]] = [
    (AskFirmware(), "00 00 FF 02 FE D4 02 2A 00", Firmware(0x32, 1, 6, 7), "00 00 FF 06 FA D5 03 32 01 06 07 E8 00"),
    (SamConfiguration(), "00 00 FF 05 FB D4 14 01 00 01 16 00", Done(), "00 00 FF 02 FE D5 15 16 00"),
    (SetRetries(passive=1), "00 00 FF 06 FA D4 32 05 FF 01 01 F4 00", Done(), "00 00 FF 02 FE D5 33 F8 00"),
    (ListTargets(), "00 00 FF 04 FC D4 4A 02 00 E0 00", Targets(()), "00 00 FF 03 FD D5 4B 00 E0 00"),
    (
        ListTargets(),
        "00 00 FF 04 FC D4 4A 02 00 E0 00",
        Targets((ONE,)),
        "00 00 FF 0F F1 D5 4B 01 01 00 44 00 07 04 A1 B2 C3 D4 E5 F0 D0 00",
    ),
    (
        ListTargets(),
        "00 00 FF 04 FC D4 4A 02 00 E0 00",
        Targets((ONE, TWO)),
        "00 00 FF 1B E5 D5 4B 02 01 00 44 00 07 04 A1 B2 C3 D4 E5 F0 02 00 44 00 07 04 11 22 33 44 55 66 19 00",
    ),
    (Release(), "00 00 FF 03 FD D4 52 00 DA 00", Done(), "00 00 FF 03 FD D5 53 00 D8 00"),
    (RfField(on=False), "00 00 FF 04 FC D4 32 01 00 F9 00", Done(), "00 00 FF 02 FE D5 33 F8 00"),
]


@pytest.mark.parametrize(("request_", "asked", "answer", "said"), GOLDEN)
def test_golden_exchanges(request_: Request, asked: str, answer: Answer, said: str) -> None:
    """Each verified exchange is made byte for byte by host and chip, and read back by the other side."""
    frame = request_frame(request_)
    assert encode(frame) == bytes.fromhex(asked)
    assert read_request(frame) == request_
    assert encode(answer_frame(answer, frame.code)) == bytes.fromhex(said)
    (heard,) = FrameDecoder(Direction.TO_HOST).feed(bytes.fromhex(said), 0.0)
    assert isinstance(heard, Frame)
    assert read_answer(heard, request_) == answer


def test_the_communication_test_comes_back() -> None:
    """libnfc's own first question: test 00 with six letters is answered with the same seven bytes."""
    asked = Diagnose(b"libnfc")
    assert encode(request_frame(asked)) == bytes.fromhex("00 00 FF 09 F7 D4 00 00 6C 69 62 6E 66 63 BE 00")
    assert read_answer(Frame(Direction.TO_HOST, 0x01, b"\x00libnfc"), asked) == Echo(b"libnfc")
    with pytest.raises(MessageError, match="does not begin with the number"):
        read_answer(Frame(Direction.TO_HOST, 0x01, b"\x01"), asked)


def test_a_card_with_an_ats() -> None:
    """SEL_RES bit 5 announces an ATS, whose first byte is its length; the next record begins behind it."""
    data = bytes.fromhex("02 01 03 44 20 07 04 A1 B2 C3 D4 E5 F0 06 75 77 81 02 80 02 00 04 08 04 11 22 33 44")
    answer = read_answer(Frame(Direction.TO_HOST, 0x4B, data), ListTargets())
    first = Target(1, 0x0344, 0x20, "04A1B2C3D4E5F0", bytes.fromhex("75 77 81 02 80"))
    assert answer == Targets((first, Target(2, 0x0004, 0x08, "11223344")))
    assert answer_frame(answer, 0x4A).data == data


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("", "does not say how many"),
        ("03", "3 targets where at most 2"),
        ("01", "holds no UID"),
        ("01 01 00 44 00 07 04 A1 B2 C3 D4 E5", "holds no UID"),
        ("01 01 00 44 00 05 04 A1 B2 C3 D4", "holds no UID"),
        ("01 01 00 44 20 04 04 A1 B2 C3", "ends inside its ATS"),
        ("01 01 00 44 20 04 04 A1 B2 C3 03 75", "ends inside its ATS"),
        ("00 00", "1 bytes too many"),
    ],
)
def test_a_list_that_cannot_be(data: str, said: str) -> None:
    """A list whose lengths do not fit is refused with what is wrong, and tells no UID."""
    with pytest.raises(MessageError, match=said):
        read_answer(Frame(Direction.TO_HOST, 0x4B, bytes.fromhex(data)), ListTargets())


@given(st.binary(max_size=60), st.sampled_from([row[0] for row in GOLDEN] + [Diagnose(b"1")]))
def test_any_content_is_read_or_refused(data: bytes, request_: Request) -> None:
    """No content of an answer raises anything but ``MessageError``."""
    with suppress(MessageError):
        read_answer(Frame(Direction.TO_HOST, 0x4B, data), request_)


def test_lengths_that_do_not_fit() -> None:
    """An answer to a command without data carries none; a firmware has four bytes; a release has its status."""
    for request_, data, said in [
        (SamConfiguration(), b"\x00", "14 has 1 bytes of data where 0"),
        (AskFirmware(), b"\x32", "02 has 1 bytes of data where 4"),
        (Release(), b"", "52 has 0 bytes of data where 1"),
    ]:
        with pytest.raises(MessageError, match=said):
            read_answer(Frame(Direction.TO_HOST, 0, data), request_)


def test_a_release_can_be_refused() -> None:
    """The status of a release is told with its meaning; a command without a status is refused by the error frame alone."""
    refused = Refused(0x27)
    assert read_answer(answer_frame(refused, 0x52), Release()) == refused
    assert refused.meaning == "the command is not acceptable now"
    assert Refused(SYNTAX).meaning == "the chip does not know the command or its parameters"
    assert Refused(0x3B).meaning == "status 3B, which no manual lists"
    with pytest.raises(ValueError, match="command 4A tells no status"):
        answer_frame(refused, 0x4A)


def test_a_request_of_another_kind() -> None:
    """FeliCa, three targets, another test: no requests of ours, and refused as such."""
    for code, data in [(0x4A, "01 01"), (0x4A, "03 00"), (0x00, "01"), (0x32, "05 FF"), (0x60, "00"), (0x52, "03")]:
        with pytest.raises(MessageError, match="is none that is known here"):
            read_request(Frame(Direction.TO_CHIP, code, bytes.fromhex(data)))


def test_random_uids() -> None:
    """Four bytes that begin with 08 are drawn anew each time; seven bytes that do so are a maker's."""
    assert is_random_uid("08A1B2C3")
    assert not is_random_uid("04A1B2C3")
    assert not is_random_uid("08A1B2C3D4E5F0")


def test_repr_tells_no_uid() -> None:
    """A target in a log line shows its kind alone."""
    assert "A1B2" not in repr(Targets((ONE,)))
