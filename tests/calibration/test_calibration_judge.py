"""What is judged, compared, stored, told and drawn of given figures."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from controller.calibration.compare import worse
from controller.calibration.figures import (
    AntennaFigures,
    Calibration,
    CardFigures,
    FilterSettings,
    LineSettings,
    NoiseFigures,
    Outcome,
    Rate,
)
from controller.calibration.judge import hysteresis, judge, notes
from controller.calibration.plot import picture
from controller.calibration.report import data, history, history_lines, lines
from controller.calibration.store import CalibrationError, folder_of, last, load, save, stored
from controller.calibration.words import number, words
from controller.words.catalogue import Language

AT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
QUIET = NoiseFigures(scans=100, periods_ms=(150.0,) * 99, inventories_ms=(38.0,) * 100)


def antenna(place: str, hits: int = 300, *, bleed: int = 0, at: datetime = AT, noise: NoiseFigures = QUIET) -> AntennaFigures:
    """One antenna with ``hits`` of 300 readings, the other of two reading ``bleed`` of 300."""
    other = {"seat/1/up": "seat/1/down", "seat/1/down": "seat/1/up"}[place]
    return AntennaFigures(
        place=place,
        line="felt-a",
        address=1,
        outcome=Outcome.MEASURED,
        at=at,
        cards=(CardFigures(card="As", read=Rate(hits=hits, of=300)),),
        bleed={other: Rate(hits=bleed, of=300)},
        noise=noise,
    )


def calibration(
    *antennas: AntennaFigures, at: datetime = AT, gone_misses: int = 8, gone_s: float = 0.8, appear_window: int = 3
) -> Calibration:
    """A record of them."""
    presence = FilterSettings(appear_window=appear_window, gone_misses=gone_misses, gone_s=gone_s)
    return Calibration(
        at=at,
        program="0.1.0",
        venue="demo",
        table="T1",
        deck="D1",
        scans=100,
        noise_scans=100,
        lines=(LineSettings(name="felt-a", driver="feig", baud=38400, parity="even", port="/dev/x"),),
        round_s=0.1,
        antennas=tuple(antenna.model_copy(update={"presence": presence}) for antenna in antennas),
    )


def codes(found: Calibration) -> list[str]:
    return [verdict.code.removeprefix("calibrate.") for verdict in judge(found)]


@pytest.mark.parametrize(("missed", "fails", "sure"), [(15, False, None), (16, True, False), (22, True, False), (24, True, True)])
def test_the_bound_of_misses(missed: int, fails: bool, sure: bool | None) -> None:
    """5 % hold, more does not; where the interval begins below the bound it is said that more scans would tell."""
    verdicts = judge(calibration(antenna("seat/1/up", 300 - missed)))
    assert [verdict.sure for verdict in verdicts if verdict.code == "calibrate.misses"] == ([sure] if fails else [])


def test_two_chance_readings_fail_no_neighbour() -> None:
    """4 of 300 would be too many if they were the truth, and may be chance: noted. 9 of 300 are too many at any rate."""
    chance, bad = (calibration(antenna("seat/1/up"), antenna("seat/1/down", bleed=bleed)) for bleed in (4, 9))
    assert codes(chance) == []
    assert [note.code for note in notes(chance)] == ["calibrate.bleed"]
    assert "bleed so few scans leave open: 1" in "\n".join(lines(chance, None, (), Language.EN))
    assert codes(bad) == ["bleed"]
    assert notes(bad) == ()


def test_one_bad_card_on_a_good_antenna_is_the_card_s() -> None:
    """Two cards read, one missed at every seventh scan: the card is named, the antenna is not."""
    good = antenna("seat/1/up")
    cards = tuple(CardFigures(card=card, read=Rate(hits=hits, of=100)) for card, hits in (("As", 100), ("Kd", 100), ("7c", 86)))
    found = calibration(good.model_copy(update={"cards": cards}))
    (verdict,) = judge(found)
    assert verdict.code == "calibrate.card_misses"
    assert "7c" in verdict.words(Language.FR)


def test_each_verdict_has_its_remedy_in_both_languages() -> None:
    """All kinds of them; every sentence names the place and is filled in."""
    noisy = NoiseFigures(scans=100, readings=3, tags=1, errors=20, periods_ms=(500.0,) * 99)
    bad = antenna("seat/1/up", 250, bleed=40, noise=noisy)
    outcomes = [
        AntennaFigures(place="muck", line="felt-e", address=1, outcome=outcome, elsewhere="burn", noise=QUIET)
        for outcome in Outcome
        if outcome is not Outcome.MEASURED
    ]
    late = antenna("seat/1/down", 285, noise=NoiseFigures(scans=100, periods_ms=(300.0,) * 99))
    found = calibration(bad, late, *outcomes, gone_misses=2, appear_window=2)
    told = judge(found)
    assert {verdict.code.removeprefix("calibrate.") for verdict in told} == {
        "not_empty",
        "errors",
        "slow",
        "misses",
        "bleed",
        "accepts_late",
        "gives_up",
        "unmeasured",
        "not_read",
        "elsewhere",
        "no_scans",
    }
    for verdict in told:
        english, french = (verdict.words(language) for language in Language)
        assert "{" not in english + french
        assert verdict.data(Language.FR)["text"] == french != english


def test_a_setting_that_is_good_for_the_misses_and_one_that_is_not() -> None:
    """Eight misses in a row are enough for 4 % missed, two are not: the figure that would do is told and does."""
    good = calibration(antenna("seat/1/up", 288))
    assert codes(good) == []
    felt = hysteresis(good)
    assert felt is not None
    assert felt.accepts
    assert felt.keeps
    hasty = calibration(antenna("seat/1/up", 288), gone_misses=2, gone_s=0.1)
    (verdict,) = judge(hasty)
    assert verdict.code == "calibrate.gives_up"
    enough = verdict.values["enough"]
    assert isinstance(enough, int)
    assert codes(calibration(antenna("seat/1/up", 288), gone_misses=enough, gone_s=0.1)) == []


def test_only_what_cannot_be_chance_grew_worse() -> None:
    """2 % missed instead of 1 % of 300 may be chance; 8 % may not, nor a tenth more time, nor a neighbour that reads now."""
    before = calibration(antenna("seat/1/up", 297), antenna("seat/1/down"))
    later = AT + timedelta(days=1)
    same = calibration(antenna("seat/1/up", 294, at=later), antenna("seat/1/down", at=later), at=later)
    assert worse(same, before) == ()
    slow = NoiseFigures(scans=100, errors=15, periods_ms=(170.0,) * 99)
    bad = calibration(antenna("seat/1/up", 276, at=later), antenna("seat/1/down", bleed=20, at=later, noise=slow), at=later)
    grown = [verdict.code.removeprefix("calibrate.worse_") for verdict in worse(bad, before)]
    assert grown == ["misses", "errors", "time", "bleed"]
    said = worse(bad, before)[0]
    assert said.words(Language.EN).startswith("seat 1, up cards: 8 % of readings missed, 1 % before (+7, p = ")
    assert "1 % avant (+7, p = " in said.words(Language.FR)
    assert worse(before, bad) == ()


def test_figures_that_were_taken_over_are_not_compared() -> None:
    """An antenna that this run did not measure cannot have grown worse, nor tags that were not there."""
    before = calibration(antenna("seat/1/up", 297))
    later = AT + timedelta(days=1)
    assert worse(calibration(antenna("seat/1/up", 200), at=later), before) == ()
    new = calibration(antenna("seat/1/up", 200, at=later), at=later)
    assert len(worse(new, before)) == 1
    assert worse(new.model_copy(update={"deck": "D2"}), before) == ()


def test_a_few_milliseconds_are_nobody_s_business() -> None:
    """However sure it is that there are more of them now: a tenth is what counts."""
    before, little, much = (
        calibration(antenna("seat/1/up", noise=NoiseFigures(scans=100, periods_ms=(period_ms,) * 99)))
        for period_ms in (150.0, 160.0, 166.0)
    )
    assert worse(little, before) == ()
    assert [verdict.code for verdict in worse(much, before)] == ["calibrate.worse_time"]


def test_what_is_stored_is_what_is_read(tmp_path: Path) -> None:
    """Mode 0600, newest last, nothing beside it; the same second twice writes over nothing."""
    assert last(tmp_path) is None
    found = calibration(antenna("seat/1/up", 297))
    path = save(tmp_path, found)
    assert path.stat().st_mode & 0o777 == 0o600
    assert load(path) == found == last(tmp_path)
    later = found.model_copy(update={"deck": "D2"})
    assert save(tmp_path, later) != path
    assert [load(one).deck for one in stored(tmp_path)] == ["D1", "D2"]
    assert sorted(folder_of(tmp_path).iterdir()) == list(stored(tmp_path))


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No half file, and the last calibration is still the last."""
    first = calibration(antenna("seat/1/up"))
    save(tmp_path, first)

    def fails(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fails)
    with pytest.raises(OSError, match="No space"):
        save(tmp_path, first.model_copy(update={"at": AT + timedelta(days=1)}))
    assert last(tmp_path) == first
    assert len(list(folder_of(tmp_path).iterdir())) == 1


@pytest.mark.parametrize("change", [{"version": 2}, {"antennas": [{"place": "burn"}]}, {"scans": -1}])
def test_a_file_of_another_release_is_named(tmp_path: Path, change: dict[str, object]) -> None:
    """With what does not fit, and the way out."""
    path = save(tmp_path, calibration(antenna("seat/1/up")))
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CalibrationError, match=r"no calibration of this release \(.+\): move it away"):
        last(tmp_path)


def test_more_hits_than_trials_cannot_be() -> None:
    """A rate is part of a whole."""
    with pytest.raises(ValueError, match="3 hits of 2"):
        Rate(hits=3, of=2)


def test_people_and_programs_are_told_the_same(tmp_path: Path) -> None:
    """Rows and the verdict last; ``antennas`` and ``ok`` in the object; a row a calibration in the list."""
    before = calibration(antenna("seat/1/up", 297), antenna("seat/1/down"))
    later = AT + timedelta(days=1)
    found = calibration(antenna("seat/1/up", 270, at=later), antenna("seat/1/down", bleed=30, at=later), at=later)
    grown = worse(found, before)
    said = "\n".join(lines(found, before, grown, Language.EN))
    assert "seat/1/up    90 % (86.1–92.9)" in said
    assert "Worse than on 2026-11-30 09:00 UTC: 2" in said
    told = data(found, before, grown, Language.EN)
    assert list(told)[:2] == ["antennas", "ok"]
    assert [one["ok"] for one in told["antennas"]] == [False, True]
    assert told["antennas"][0]["read"] == {"hits": 270, "of": 300, "rate": 0.9, "low": 0.86083, "high": 0.92905}
    assert json.loads(json.dumps(told)) == told
    path = save(tmp_path, found)
    assert history(path, found)["worst_miss"] == 0.1
    assert "D1  2/2  seat/1/up 10 %" in "\n".join(history_lines([(path, found)], Language.EN))
    assert list(history_lines([], Language.FR)) == ["Aucun étalonnage n’est encore enregistré."]
    fine = "\n".join(lines(before, before, (), Language.FR))
    assert "rien n’a empiré" in fine
    assert fine.endswith("Toutes les antennes sont bonnes.")


def test_numbers_are_written_as_people_do() -> None:
    """A comma in French, thousands apart, three digits."""
    assert number(97.6667, Language.EN) == "97.7"
    assert number(0.02345, Language.FR) == "0,0234"
    assert number(1_827_392.0, Language.EN) == "1,830,000"
    assert number(1_827_392.0, Language.FR) == "1\u202f830\u202f000"
    assert number(0.0, Language.EN) == "0"
    assert number(3e-9, Language.EN) == "3e-09"
    assert words("calibrate.hint", Language.EN, {"place": "burn", "other": "muck"}).startswith("the burns: the cards are read")


def test_the_picture_shows_every_antenna() -> None:
    """Well-formed, each place in both lists of rows and in the columns, the neighbour's share in its cell."""
    nothing = AntennaFigures(place="burn", line="felt-e", address=2, outcome=Outcome.NOT_READ, noise=NoiseFigures())
    found = calibration(antenna("seat/1/up", 270, bleed=150), antenna("seat/1/down"), nothing)
    for language in Language:
        root = ET.fromstring(picture(found, language))  # noqa: S314 - our own text
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        for place in ("seat/1/up", "seat/1/down", "burn"):
            assert texts.count(place) == 3
        assert "50" in texts
        assert {"not measured", "non mesurée"} & set(texts)
    assert not [part for part in ("NaN", "inf", "None") if part in picture(found, Language.EN)]
