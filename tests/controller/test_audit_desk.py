"""The audit desk: two keys together open a closed hand; one, another one or an open hand give nothing (recovery §10)."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from support.table_runs import journal_bodies, write_journal

from controller.audit_desk import AuditError, dealt, open_hand
from controller.cli import main
from controller.config import parse_config
from controller.journal.audit_shares import AuditKey, parse_audit_key, split_key
from controller.journal.sealing import HandSealer, SealError
from controller.rehearsal import Play, memory_rehearsal
from controller.table.records import decode, table_codec
from controller.verify import audit
from simulators.packets import ShuffledPackets
from simulators.players import RandomPlayer
from simulators.virtual_time import run_virtual

ANN = X25519PrivateKey.from_private_bytes(bytes(range(32)))
BEN = X25519PrivateKey.from_private_bytes(bytes(range(32, 64)))
EVE = X25519PrivateKey.from_private_bytes(bytes(range(64, 96)))
AUDITORS = (AuditKey.of(ANN), AuditKey.of(BEN))


def evening(*, audited: bool = True, hands: int = 2, seed: int = 5) -> tuple[list[dict[str, Any]], dict[int, HandSealer]]:
    """Bodies of a rehearsed evening, and every deal's key as a witness of the test alone."""
    play = Play(seats={seat: (f"Player {seat}", 200) for seat in range(1, 4)})
    rehearsal = memory_rehearsal(play, seed=seed)
    if audited:
        keys = {"surveillance": AUDITORS[0].text, "compliance": AUDITORS[1].text}
        rehearsal.config = parse_config({**rehearsal.config.model_dump(exclude_none=True), "audit": keys}, "rehearsal")
    kept: dict[int, HandSealer] = {}

    async def run() -> list[dict[str, Any]]:
        async with rehearsal.opened() as app:
            rehearsal.watchers.append(lambda *_: kept.update(app.table._keyring.sealers))
            players = {seat: RandomPlayer(random.Random(seed + seat), looseness=0.5, free_fold=0.1) for seat in play.seats}
            await rehearsal.deal(app, players, ShuffledPackets(random.Random(seed)), hands=hands)
            return [dict(body) for _, body in app.journal.read(1)]

    return run_virtual(run(), max_seconds=3600.0), kept


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, HandSealer]]:
    """An evening of two hands with audit keys; the deck of the last one lies still on the table."""
    bodies, kept = evening()
    return write_journal(tmp_path_factory.mktemp("audited"), bodies), kept


def test_both_keys_open_every_sealed_card_of_a_closed_hand(journal: tuple[Path, dict[int, HandSealer]]) -> None:
    """Each box of the hand, card for card what it hides; folded cards and burns are among them."""
    path, kept = journal
    hand = open_hand(path, 1, [BEN, ANN])
    bodies = dict(journal_bodies(path))
    for card in hand.cards:
        event: Any = decode(table_codec(), bodies[card.seq], kept)
        assert card.card == (None if event.card is None else event.card.text)
    assert {card.kind for card in dealt(hand)} >= {"CardDealt", "BurnMade"}
    assert sum(card.place == "seat/1/down" for card in dealt(hand)) >= 2
    assert len(hand.cards) > len(dealt(hand)) >= 7
    assert audit(path).ok


@pytest.mark.parametrize("keys", [[ANN], [BEN], [ANN, EVE], [EVE, BEN], [], [ANN, ANN]])
def test_one_key_or_another_ones_opens_nothing(keys: list[X25519PrivateKey], journal: tuple[Path, dict[int, HandSealer]]) -> None:
    """And the sentence names the key that is missing."""
    with pytest.raises(SealError, match=r"the audit key [0-9a-f]{8} is needed"):
        open_hand(journal[0], 1, keys)


def test_a_live_hand_has_no_shares(journal: tuple[Path, dict[int, HandSealer]]) -> None:
    """Two auditors cannot look into a hand whose deck has not been loaded again."""
    with pytest.raises(AuditError, match="hand 2 is not closed"):
        open_hand(journal[0], 2, [ANN, BEN])
    with pytest.raises(AuditError, match="there is no hand 9"):
        open_hand(journal[0], 9, [ANN, BEN])


def test_without_audit_keys_a_closed_hand_is_closed_for_good(tmp_path: Path) -> None:
    """No share is written."""
    bodies, _ = evening(audited=False, hands=2)
    assert all(body["shares"] == [] for body in bodies if body["type"] == "DealKeyDropped")
    with pytest.raises(SealError, match="0 audit shares"):
        open_hand(write_journal(tmp_path / "data", bodies), 1, [ANN, BEN])


def test_shares_of_another_key_are_found(journal: tuple[Path, dict[int, HandSealer]], tmp_path: Path) -> None:
    """A table that gave the auditors another key than it sealed under is told by the commitments."""
    bodies = [dict(body) for _, body in journal_bodies(journal[0])]
    for body in bodies:
        if body["type"] == "DealKeyDropped":
            kid = next(made["kid"] for made in bodies if made["type"] == "DealKeyMade" and made["deal"] == body["deal"])
            made_up = split_key(bytes(32), kid, random.Random(1).randbytes, auditors=AUDITORS)
            body["shares"] = [list(pair) for pair in made_up]
    with pytest.raises(SealError, match="not the one that the deal was sealed under"):
        open_hand(write_journal(tmp_path / "data", bodies), 1, [ANN, BEN])


def test_the_commands_make_keys_open_a_hand_and_log_it(
    journal: tuple[Path, dict[int, HandSealer]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Keys for their owners alone, never over another; the opening is in a chained log that names no card."""
    assert main(["audit", "keygen", str(tmp_path / "c.pem"), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert parse_audit_key(made["public"]).name == made["name"]
    assert (tmp_path / "c.pem").stat().st_mode & 0o777 == 0o600
    assert main(["audit", "keygen", str(tmp_path / "c.pem")]) == 2
    assert "is there already" in capsys.readouterr().err
    for name, key in (("a.pem", ANN), ("b.pem", BEN)):
        write_pem(tmp_path / name, key)
    copy = shutil.copytree(journal[0], tmp_path / "copy")
    log = tmp_path / "openings.jsonl"
    both = ["--key", str(tmp_path / "a.pem"), "--key", str(tmp_path / "b.pem")]
    line = ["audit", "open", str(copy), "--hand", "1", "--reason", "dispute 4711", "--log", str(log)]
    assert main([*line, *both[:2]]) == 1
    said = capsys.readouterr()
    assert (said.out, log.exists()) == ("", False)
    assert "both auditors must give theirs" in said.err
    assert main([*line, *both, "--json"]) == 0
    opened = json.loads(capsys.readouterr().out)
    assert main([*line, *both, "--evidence"]) == 0
    printed = capsys.readouterr().out
    assert all(f"{card['place']:<16} {card['card']}" in printed for card in opened["cards"])
    assert main(["audit", "log", str(log), "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)["openings"]
    assert [(entry["n"], entry["hand"], entry["reason"]) for entry in entries] == [(1, 1, "dispute 4711"), (2, 1, "dispute 4711")]
    assert all(set(entry) == {"n", "at", "journal", "head", "hand", "keys", "reason", "before"} for entry in entries)
    log.write_bytes(log.read_bytes().replace(b"dispute 4711", b"curiosity!!!", 1))
    assert main(["audit", "log", str(log)]) == 1
    assert "line 2 of the log" in capsys.readouterr().err
    assert main([*line, *both]) == 1
    assert capsys.readouterr().out == ""


def write_pem(path: Path, key: X25519PrivateKey) -> None:
    """A key as ``audit keygen`` writes it."""
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
