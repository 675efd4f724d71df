"""A PN532's line against scripted answers: wake-up, ACK, NACK, spoilt and late answers, the fence, giving up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.pn532.frames import WAKE_UP, Direction, Frame, FrameDecoder, Signal, encode
from drivers.pn532.messages import (
    SYNTAX,
    AskFirmware,
    Code,
    Done,
    Firmware,
    ListTargets,
    Refused,
    Request,
    SamConfiguration,
    Target,
    Targets,
    answer_frame,
    read_request,
)
from drivers.pn532.session import NACKS, SENDS, Action, Answered, ChipSession, GaveUp, Patience, Send
from drivers.ports import DriverError

SAM = bytes.fromhex("00 00 FF 05 FB D4 14 01 00 01 16 00")
FIRMWARE = bytes.fromhex("00 00 FF 02 FE D4 02 2A 00")
LIST = bytes.fromhex("00 00 FF 04 FC D4 4A 02 00 E0 00")
ACK, NACK, ERROR = (encode(signal) for signal in Signal)
SAM_DONE = bytes.fromhex("00 00 FF 02 FE D5 15 16 00")
EMPTY = bytes.fromhex("00 00 FF 03 FD D5 4B 00 E0 00")
ONE = bytes.fromhex("00 00 FF 0F F1 D5 4B 01 01 00 44 00 07 04 A1 B2 C3 D4 E5 F0 D0 00")
ONE_TARGET = Targets((Target(1, 0x0044, 0x00, "04A1B2C3D4E5F0"),))


class Script:
    """The chip's side of a story: says bytes, lets time pass, notes what the host sends."""

    def __init__(self) -> None:
        self.session = ChipSession(Patience())
        self.now = 100.0
        self.ends: list[Action] = []

    def note(self, actions: tuple[Action, ...]) -> bytes:
        self.ends += [action for action in actions if not isinstance(action, Send)]
        return b"".join(action.data for action in actions if isinstance(action, Send))

    def ask(self, request: Request) -> bytes:
        return self.note(self.session.start(request, self.now))

    def say(self, data: bytes) -> bytes:
        self.now += 0.005
        return self.note(self.session.feed(data, self.now))

    def silence(self) -> bytes:
        """Nothing comes until the next deadline."""
        assert self.session.deadline is not None
        self.now = self.session.deadline
        return self.note(self.session.tick(self.now))

    def woken(self) -> Script:
        """The first exchange of every story: the chip is awake now."""
        assert self.ask(SamConfiguration()) == WAKE_UP + SAM
        assert self.say(ACK + SAM_DONE) == b""
        assert self.ends.pop() == Answered(Done())
        return self


def token_of(data: bytes) -> bytes:
    """The token of the communication test that ``data`` is."""
    (frame,) = FrameDecoder(Direction.TO_CHIP).feed(data, 0.0)
    assert isinstance(frame, Frame)
    assert frame.code == Code.DIAGNOSE
    return frame.data[1:]


def echo(token: bytes) -> bytes:
    return encode(Frame(Direction.TO_HOST, Code.DIAGNOSE + 1, b"\x00" + token))


def test_first_command_is_behind_a_wake_up() -> None:
    """After an opening the long preamble goes first, once; the next command goes bare."""
    script = Script().woken()
    assert script.ask(ListTargets()) == LIST
    assert script.say(ACK) == b""
    assert script.say(ONE) == b""
    assert script.ends == [Answered(ONE_TARGET)]
    assert script.session.deadline is None
    script.session.opened()
    assert script.ask(SamConfiguration()) == WAKE_UP + SAM


def test_answer_in_any_pieces() -> None:
    """ACK and answer are understood byte by byte."""
    script = Script().woken()
    script.ask(ListTargets())
    for byte in ACK + ONE:
        assert script.say(bytes((byte,))) == b""
    assert script.ends == [Answered(ONE_TARGET)]


def test_without_an_ack_the_command_is_sent_again_behind_a_wake_up() -> None:
    """Silence may be sleep: the second sending wakes the chip first. After three there is an end, with advice."""
    script = Script().woken()
    script.ask(ListTargets())
    for _ in range(SENDS - 1):
        assert script.silence() == WAKE_UP + LIST
    assert script.silence() == b""
    (end,) = script.ends
    assert isinstance(end, GaveUp)
    assert not end.alive
    assert "switches say HSU" in end.reason
    assert script.session.counters.timeouts == SENDS
    assert script.session.counters.given_up == 1
    assert script.ask(SamConfiguration()) == WAKE_UP + SAM


def test_an_answer_without_an_ack_does_not_count() -> None:
    """What comes before the ACK may belong to an older command."""
    script = Script().woken()
    script.ask(ListTargets())
    script.say(ONE)
    assert script.ends == []
    script.say(ACK + EMPTY)
    assert script.ends == [Answered(Targets(()))]
    assert script.session.counters.strays == 1


def test_a_spoilt_answer_is_asked_for_again() -> None:
    """A flipped bit in the answer brings a NACK once the chip must be through with the command; the answer comes then."""
    script = Script().woken()
    script.ask(ListTargets())
    script.say(ACK + ONE[:10] + b"\x45" + ONE[11:])
    began = script.now
    assert script.silence() == NACK
    assert script.now - began >= Patience().answer_s
    script.say(ONE)
    assert script.ends == [Answered(ONE_TARGET)]
    assert script.session.counters.nacks == 1


def test_a_lost_answer_is_asked_for_again_and_then_stopped() -> None:
    """After two NACKs without an answer the host's ACK stops the command, and the end says that the chip lives."""
    script = Script().woken()
    script.ask(ListTargets())
    script.say(ACK)
    for _ in range(NACKS):
        assert script.silence() == NACK
    assert script.silence() == ACK
    (end,) = script.ends
    assert isinstance(end, GaveUp)
    assert end.alive


def test_an_answer_whose_content_does_not_fit_is_asked_for_again() -> None:
    """Three targets cannot be: NACK, and counted."""
    script = Script().woken()
    script.ask(ListTargets())
    script.say(ACK)
    assert script.say(encode(Frame(Direction.TO_HOST, 0x4B, b"\x03"))) == NACK
    script.say(EMPTY)
    assert script.ends == [Answered(Targets(()))]
    assert script.session.counters.malformed == 1


def test_the_error_frame_is_a_refusal() -> None:
    """A chip that does not know the command says so, and the exchange is over."""
    script = Script().woken()
    script.ask(ListTargets())
    script.say(ACK + ERROR)
    assert script.ends == [Answered(Refused(SYNTAX))]


def test_an_answer_to_another_command_is_a_stray() -> None:
    """Code 03 does not answer 4A."""
    script = Script().woken()
    script.ask(ListTargets())
    script.say(ACK + answer_bytes(Firmware(0x32, 1, 6, 7), 0x02) + EMPTY)
    assert script.ends == [Answered(Targets(()))]
    assert script.session.counters.strays == 1


def answer_bytes(answer: Firmware, code: int) -> bytes:
    return encode(answer_frame(answer, code))


def test_after_a_repeat_the_next_exchange_is_fenced() -> None:
    """The command was sent twice, so two answers may come. The second one must not answer the next search: a token that comes
    back parts old from new."""
    script = Script().woken()
    script.ask(ListTargets())
    script.silence()
    script.say(ACK + ONE)
    assert script.ends.pop() == Answered(ONE_TARGET)
    fence = script.ask(ListTargets())
    token = token_of(fence)
    assert script.say(ACK + ONE) == b""
    assert script.say(ACK + echo(b"\xff\xff")) == b""
    assert script.say(echo(token)) == LIST
    script.say(ACK + EMPTY)
    assert script.ends == [Answered(Targets(()))]
    assert script.ask(ListTargets()) == LIST


def test_an_exchange_that_was_dropped_is_fenced_too() -> None:
    """Somebody stopped waiting: the answer may still come, and does not answer the next command."""
    script = Script().woken()
    script.ask(ListTargets())
    script.say(ACK)
    script.session.reset()
    token = token_of(script.ask(ListTargets()))
    assert script.say(ONE) == b""
    assert script.say(ACK + echo(token)) == LIST


def test_a_fence_without_an_answer_gives_up() -> None:
    """Tokens are sent again, each a new one, and then there is an end that says whether the chip acknowledged."""
    script = Script().woken()
    script.ask(ListTargets())
    script.session.reset()
    tokens = {token_of(script.ask(ListTargets()))}
    for _ in range(SENDS - 1):
        script.say(ACK)
        tokens.add(token_of(script.silence().removeprefix(WAKE_UP)))
    assert script.silence() == b""
    assert len(tokens) == SENDS
    (end,) = script.ends
    assert isinstance(end, GaveUp)
    assert end.alive


def test_the_first_ack_may_come_late() -> None:
    """Some adapters hold the first bytes after an opening back for a second; later an ACK is due at once."""
    script = Script()
    script.ask(SamConfiguration())
    assert script.session.deadline is not None
    assert 1.5 <= script.session.deadline - script.now <= 1.6
    script.say(ACK + SAM_DONE)
    script.ask(AskFirmware())
    assert script.session.deadline is not None
    assert script.session.deadline - script.now <= 0.11


def test_one_exchange_at_a_time() -> None:
    """A second command while one is under way is an error of the caller."""
    script = Script()
    script.ask(SamConfiguration())
    with pytest.raises(DriverError, match="the line is in use"):
        script.ask(AskFirmware())


@settings(max_examples=150)
@given(st.lists(st.one_of(st.binary(max_size=30), st.sampled_from([ACK, NACK, ERROR, ONE, EMPTY, SAM_DONE])), max_size=12))
def test_no_noise_invents_a_card(chunks: list[bytes]) -> None:
    """Whatever comes, the exchange ends, and a card is told only if a good frame with it came behind an ACK."""
    script = Script().woken()
    script.ask(ListTargets())
    for chunk in chunks:
        script.say(chunk)
    for _ in range(60):
        if script.session.deadline is None:
            break
        script.silence()
    assert len(script.ends) == 1
    if script.ends == [Answered(ONE_TARGET)]:
        assert ONE[2:-1] in b"".join(chunks)
        assert ACK[1:5] in b"".join(chunks)


def test_requests_are_readable_by_the_chip() -> None:
    """What the host sends is what the chip's side reads."""
    (frame,) = FrameDecoder(Direction.TO_CHIP).feed(FIRMWARE, 0.0)
    assert isinstance(frame, Frame)
    assert read_request(frame) == AskFirmware()
