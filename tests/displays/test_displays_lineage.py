"""What the broker has heard of beyond this controller, and what it has not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from controller.displays.lineage import Lineage
from controller.mqtt.payloads import Stamp, StatusPayload, TableStatus

AT = datetime(2026, 1, 1, tzinfo=UTC)
HERE = Lineage(5, "5f0c9a1e", 100, {90: "aa" * 32, 104: "bb" * 32}.get)


def status(epoch: int, seq: int, journal: str | None = "5f0c9a1e", head: str | None = None) -> StatusPayload:
    return StatusPayload(seq=seq, epoch=epoch, at=AT, status=TableStatus.LIVE, journal=journal, head=head)


@pytest.mark.parametrize(
    ("epoch", "seq", "retained", "words"),
    [
        (6, 1, False, "a controller of epoch 6 runs this table; ours is 5"),
        (4, 101, True, "record 101 of epoch 4, and this journal ended at 100 when it was opened"),
        (4, 100, True, None),
        (4, 101, False, None),
        (5, 104, True, None),
    ],
)
def test_a_larger_epoch_and_records_from_before_the_start(epoch: int, seq: int, retained: bool, words: str | None) -> None:
    """What comes late from an older controller, and what is our own, stops nobody."""
    why = HERE.beyond(Stamp(epoch=epoch, seq=seq, at=AT), is_retained=retained)
    assert (why is None) == (words is None)
    assert words is None or words in str(why)


@pytest.mark.parametrize(
    ("heard", "words"),
    [
        (status(5, 106, head="cc" * 32), "which ends at 105 here"),
        (status(5, 104, head="cc" * 32), "record 104 of this journal, and it is another one here"),
        (status(5, 104, head="bb" * 32), None),
        (status(5, 12, head="cc" * 32), None),
        (status(5, 106, journal="00000000", head="cc" * 32), None),
        (status(5, 106, journal=None), None),
    ],
)
def test_records_that_are_not_here(heard: StatusPayload, words: str | None) -> None:
    """More of them, or another one under a number; a record whose head is not known here is not judged."""
    why = HERE.missing(heard, 105)
    assert (why is None) == (words is None)
    assert words is None or words in str(why)


def test_a_status_of_another_journal() -> None:
    """It is no witness, unless its epoch is larger."""
    assert HERE.is_of_another(status(4, 500, journal="00000000"))
    assert not HERE.is_of_another(status(6, 500, journal="00000000"))
    assert not HERE.is_of_another(status(4, 500, journal=None))
