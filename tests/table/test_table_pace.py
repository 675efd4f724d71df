"""What is measured of cards and antennas while the table works."""

from __future__ import annotations

import pytest

from controller.table.pace import Arrivals, ScanPace
from drivers.ports import AntennaScan


def test_a_card_is_timed_from_its_report_to_its_commit() -> None:
    """What is no card's report, or was taken before, is not timed."""
    arrivals, card, other = Arrivals(), object(), object()
    with arrivals.coming(card, 10.0):
        pass
    came = arrivals.taken([other, card])
    assert came == (10.0,)
    arrivals.durable(came, 10.02)
    assert (arrivals.seconds.count, arrivals.seconds.total) == (1, pytest.approx(0.02))
    assert arrivals.taken([card]) == ()


def test_a_report_that_was_not_put_is_forgotten() -> None:
    """Its place in memory may become another report's."""
    arrivals, card = Arrivals(), object()
    with pytest.raises(RuntimeError), arrivals.coming(card, 1.0):
        raise RuntimeError
    assert arrivals.waiting == 0


def scan(at: float, *, clean: bool = True) -> AntennaScan:
    return AntennaScan("felt-a", 3, ("E004",), clean, at, took_s=0.02)


def test_an_antennas_period_follows_its_scans() -> None:
    """The mean moves towards what is; misreads are counted; nothing of a tag is kept."""
    pace = ScanPace()
    pace.note(scan(1.0))
    found = pace.antennas["felt-a", 3]
    assert (found.period_s, found.last_at) == (None, 1.0)
    pace.note(scan(1.4, clean=False))
    assert found.period_s == pytest.approx(0.4)
    for step in range(60):
        pace.note(scan(1.5 + 0.1 * step))
    assert found.period_s == pytest.approx(0.1, rel=0.02)
    assert (found.scans, found.unclean) == (62, 1)
    assert not any("E004" in str(getattr(found, name)) for name in found.__slots__)
