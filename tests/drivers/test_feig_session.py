"""A FEIG line against scripted answers: time-outs, retries, strays, late answers, long inventories."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.feig.frames import FrameDecoder, Role, encode
from drivers.feig.messages import (
    TAGS_PER_ANSWER,
    Answer,
    AskVersion,
    Control,
    Done,
    Inventory,
    Ping,
    Refused,
    Request,
    Tags,
    Version,
    answer_frame,
    control_of,
    read_request,
)
from drivers.feig.session import BUSY_REPEATS, MORE_ROUNDS, Action, Answered, GaveUp, LineSession, LineSettings, Send
from drivers.feig.status import Status
from drivers.ports import DriverError

ONE, TWO, THREE = "E00401009A3B7C21", "E00401009A3B7C55", "E0040100A1B2C3D4"
PING = bytes.fromhex("06 01 52 00 20 F2")
INVENTORY = bytes.fromhex("07 01 B0 01 00 75 8F")
MORE = bytes.fromhex("07 01 B0 01 80 7D 0B")
SETTINGS = LineSettings()
WIRE_S = (7 + 255) * 11 / 38400


class Script:
    """The reader's side of a story: says answers, lets time pass, notes what the host sends."""

    def __init__(self, *, advanced: bool = False) -> None:
        self.session = LineSession(SETTINGS, advanced=advanced)
        self.now = 100.0
        self.advanced = advanced
        self.ends: list[Action] = []

    def _note(self, actions: tuple[Action, ...]) -> bytes:
        self.ends += [action for action in actions if not isinstance(action, Send)]
        return b"".join(action.data for action in actions if isinstance(action, Send))

    def ask(self, request: Request, address: int = 1, *, probing: bool = False) -> bytes:
        return self._note(self.session.start(address, request, self.now, probing=probing))

    def say(self, answer: Answer, control: int = Control.ISO_15693, address: int = 1) -> bytes:
        self.now += 0.01
        frame = answer_frame(answer, Control(control), address, advanced=self.advanced)
        return self._note(self.session.feed(encode(frame), self.now))

    def silence(self) -> bytes:
        deadline = self.session.deadline
        assert deadline is not None
        assert self._note(self.session.tick(deadline - 0.001)) == b""
        self.now = deadline
        return self._note(self.session.tick(self.now))


@pytest.fixture
def line() -> Script:
    return Script()


def test_answer_ends_the_exchange(line: Script) -> None:
    """The matching answer ends the exchange; the next may start."""
    assert line.ask(Inventory()) == INVENTORY
    assert line.say(Tags((ONE,))) == b""
    assert line.ends == [Answered(1, Tags((ONE,)))]
    assert not line.session.busy
    assert line.session.deadline is None
    assert line.ask(Inventory()) == INVENTORY


def test_one_request_at_a_time(line: Script) -> None:
    """A second request while one is under way is refused and spoils nothing."""
    line.ask(Inventory())
    with pytest.raises(DriverError, match="in use: the request to address 1 has no answer yet"):
        line.ask(Ping(), address=2)
    line.say(Tags(()))
    assert line.ends == [Answered(1, Tags(()))]


def test_time_out_is_the_wire_and_400_ms(line: Script) -> None:
    """The first repeat goes out after the bytes' time on the wire plus 400 ms."""
    line.ask(Inventory())
    assert line.session.deadline == pytest.approx(100.0 + WIRE_S + 0.4)


def test_retry_then_ping_then_give_up(line: Script) -> None:
    """Silence: the request once more, then one ping, then the reader is given up as dead."""
    assert line.ask(Inventory()) == INVENTORY
    assert line.silence() == INVENTORY
    assert line.silence() == PING
    assert line.silence() == b""
    assert line.ends == [GaveUp(1, "the reader at address 1 does not answer, nor a ping", alive=False)]
    assert line.session.counters.timeouts == 3
    assert line.session.counters.retries == 1


def test_answer_to_the_retry(line: Script) -> None:
    """One lost request costs one repeat."""
    line.ask(Inventory())
    line.silence()
    line.say(Tags((ONE,)))
    assert line.ends == [Answered(1, Tags((ONE,)))]


def test_alive_but_not_answering(line: Script) -> None:
    """A reader that answers the ping but not the request is given up as alive."""
    line.ask(Inventory())
    line.silence()
    assert line.silence() == PING
    line.say(Done(), Control.PING)
    assert line.ends == [GaveUp(1, "the reader at address 1 answers a ping but not the request", alive=True)]


def test_wrong_address_and_wrong_command_are_strays(line: Script) -> None:
    """Only address and command that match are the answer; others change nothing."""
    line.ask(Inventory())
    line.say(Tags((TWO,)), address=2)
    line.say(Done(), Control.PING)
    assert line.ends == []
    line.say(Tags((ONE,)))
    assert line.ends == [Answered(1, Tags((ONE,)))]
    assert line.session.counters.strays == 2


def test_late_answer_is_not_taken_for_the_next_one(line: Script) -> None:
    """After a repeat two answers may come. The second is never taken for the answer of the next exchange:
    a ping goes first, and what comes before its answer is old."""
    line.ask(Inventory())
    line.silence()
    line.say(Tags((ONE,)))
    assert line.ask(Inventory()) == PING
    line.say(Tags((ONE,)))
    assert line.say(Done(), Control.PING) == INVENTORY
    line.say(Tags((TWO,)))
    assert line.ends == [Answered(1, Tags((ONE,))), Answered(1, Tags((TWO,)))]
    assert line.ask(Inventory()) == INVENTORY


def test_late_answer_after_giving_up(line: Script) -> None:
    """A request given up does not answer the next one, nor one to another reader."""
    line.ask(Inventory())
    for _ in range(3):
        line.silence()
    line.ends.clear()
    assert line.ask(Inventory(), address=2) == bytes.fromhex("07 02 B0 01 00") + encode_crc("07 02 B0 01 00")
    line.say(Tags((ONE,)), address=1)
    line.say(Tags((TWO,)), address=2)
    assert line.ends == [Answered(2, Tags((TWO,)))]
    assert line.ask(Inventory(), address=1) == PING


def encode_crc(raw: str) -> bytes:
    """The check of the one request that §2.2 does not list, by the bitwise definition."""
    crc = 0xFFFF
    for byte in bytes.fromhex(raw):
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x8408 if crc & 1 else 0)
    return crc.to_bytes(2, "little")


def test_probing_costs_one_short_ping(line: Script) -> None:
    """A reader that was silent is probed with one ping of 100 ms, so that the others of the line do not wait."""
    assert line.ask(Inventory(), probing=True) == PING
    assert line.session.deadline == pytest.approx(100.0 + (6 + 255) * 11 / 38400 + 0.1)
    assert line.silence() == b""
    assert line.ends == [GaveUp(1, "the reader at address 1 does not answer, nor a ping", alive=False)]
    assert line.ask(Inventory(), probing=True) == PING
    assert line.say(Done(), Control.PING) == INVENTORY


@pytest.mark.parametrize("advanced", [False, True])
def test_more_than_24_tags_are_united(advanced: bool) -> None:
    """Status 94 is followed up with MORE until the reader has told all; 52 tags come as one scan, in both frames."""
    uids = tuple(f"E00401{number:010X}" for number in range(52))
    line = Script(advanced=advanced)
    sent = line.ask(Inventory())
    asked = []
    for start in range(0, 52, TAGS_PER_ANSWER):
        (frame,) = FrameDecoder(Role.READER).feed(sent, 0.0)
        asked.append(read_request(frame))
        assert frame.advanced == advanced
        sent = line.say(Tags(uids[start : start + TAGS_PER_ANSWER], more=start + TAGS_PER_ANSWER < 52))
    assert asked == [Inventory(), Inventory(more=True), Inventory(more=True)]
    assert line.ends == [Answered(1, Tags(uids))]


def test_more_that_fails_keeps_the_tags_and_is_not_clean(line: Script) -> None:
    """When the rest of a long inventory does not come it is not asked for twice: what was read counts, absence does not."""
    line.ask(Inventory())
    assert line.say(Tags((ONE, TWO), more=True)) == MORE
    assert line.silence() == b""
    line.ask(Ping())
    line.say(Done(), Control.PING)
    line.say(Done(), Control.PING)
    assert line.ask(Inventory()) == INVENTORY
    line.say(Tags((ONE,), more=True))
    line.say(Refused(Status.NO_VALID_DATA))
    assert line.ends[0] == Answered(1, Tags((ONE, TWO), clean=False))
    assert line.ends[-1] == Answered(1, Tags((ONE,), clean=False))


def test_more_after_a_repeat_is_not_followed(line: Script) -> None:
    """After a repeated inventory the late twin could pass for the rest, so the scan ends unclean and the next is whole."""
    line.ask(Inventory())
    line.silence()
    assert line.say(Tags((ONE, TWO), more=True)) == b""
    assert line.ends == [Answered(1, Tags((ONE, TWO), clean=False))]


def test_more_is_bounded(line: Script) -> None:
    """A reader that never comes to an end is asked eight times for more and not a ninth time."""
    line.ask(Inventory())
    for _ in range(MORE_ROUNDS):
        assert line.say(Tags((ONE,), more=True)) == MORE
    assert line.say(Tags((TWO,), more=True)) == b""
    assert line.ends == [Answered(1, Tags((ONE, TWO), clean=False))]


def test_error_status_in_one_part_spoils_the_whole(line: Script) -> None:
    """83 in any part keeps all tags and the scan is not clean."""
    line.ask(Inventory())
    line.say(Tags((ONE,), more=True))
    line.say(Tags((THREE,), clean=False))
    assert line.ends == [Answered(1, Tags((ONE, THREE), clean=False))]


def test_busy_reader_is_asked_again(line: Script) -> None:
    """0F: the command was not carried out; it is sent again after a pause, three times, and then reported."""
    line.ask(Inventory())
    for _ in range(BUSY_REPEATS):
        assert line.say(Refused(Status.BUSY)) == b""
        assert line.session.deadline == pytest.approx(line.now + 0.05)
        assert line.silence() == INVENTORY
    line.say(Refused(Status.BUSY))
    assert line.ends == [Answered(1, Refused(Status.BUSY))]
    assert line.session.counters.timeouts == 0


def test_malformed_answer_is_no_answer(line: Script) -> None:
    """A good frame whose content does not fit is counted; the request is repeated after the time-out."""
    line.ask(AskVersion())
    line.say(Tags((ONE,)), Control.VERSION)
    assert line.session.counters.malformed == 1
    line.silence()
    line.say(Version(1, 2, 3, 4, 5), Control.VERSION)
    assert line.ends == [Answered(1, Version(1, 2, 3, 4, 5))]


def test_noise_before_the_answer_costs_no_repeat(line: Script) -> None:
    """A byte of noise that announces a long frame delays the answer by the gap, not by a time-out."""
    line.ask(Ping())
    line.session.feed(b"\xf0" + PING, 100.01)
    assert line.session.deadline == pytest.approx(100.06)
    assert line.session.tick(100.06) == (Answered(1, Done()),)


def test_port_lost_in_the_middle(line: Script) -> None:
    """After a reset nothing is under way, and the interrupted reader is fenced before it is asked again."""
    line.ask(Inventory())
    line.session.reset()
    assert not line.session.busy
    assert line.ask(Inventory()) == PING


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(["ok", "lost", "late", "twin", "stranger", "busy"]), min_size=1, max_size=40))
def test_each_answer_belongs_to_its_question(fates: list[str]) -> None:
    """Whatever is lost, late or doubled, an inventory never ends with an answer that an earlier one had caused.

    The reader here works in order, stamps each inventory with a fresh tag and may hold answers back.
    """
    session, now, stamp, held = LineSession(SETTINGS), 0.0, 0, bytearray()
    asked_from, fate_of = 0, iter(fates)
    decoder = FrameDecoder(Role.READER)

    def serve(data: bytes) -> bytes:
        nonlocal stamp
        (frame,) = decoder.feed(data, now)
        request = read_request(frame)
        answer: Answer = Done()
        if isinstance(request, Inventory):
            stamp += 1
            answer = Tags((f"E00401{stamp:010X}",))
        raw = encode(answer_frame(answer, control_of(request), 1))
        match next(fate_of, "ok"):
            case "lost":
                return b""
            case "late":
                held.extend(raw)
                return b""
            case "twin":
                raw += raw if isinstance(request, Ping) else b""
            case "stranger":
                raw = encode(answer_frame(Tags((ONE,)), Control.ISO_15693, 9)) + raw
            case "busy" if isinstance(request, Inventory):
                raw = encode(answer_frame(Refused(Status.BUSY), Control.ISO_15693, 1))
            case _:
                pass
        out = bytes(held) + raw
        held.clear()
        return out

    for _ in range(12):
        asked_from = stamp
        actions = session.start(1, Inventory(), now)
        while session.busy:
            replies = b"".join(serve(action.data) for action in actions if isinstance(action, Send))
            now += 0.02
            actions = session.feed(replies, now)
            if not actions and session.busy:
                assert session.deadline is not None
                now = max(now, session.deadline)
                actions = session.tick(now)
        for action in actions:
            if isinstance(action, Answered) and isinstance(action.answer, Tags):
                (uid,) = action.answer.uids
                assert asked_from < int(uid[6:], 16) <= stamp
        now += 1.0
