"""Questions of a form: what is asked, the answers that are likely, and the one that the table knows already (screens §7).

A field with a ``value`` is answered by what is known: it stands beside the preview and can be changed there. One without is asked
before it, in one touch. A choice may say what ``asks`` behind it (an amount or words that no button has), or which form it
``opens``, where what follows depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from controller.hand.irregular_events import DeadCause, MisdealCause, Scrap
from controller.words.said import Said, joined, place_said, plain, say

Snapshot: TypeAlias = Mapping[str, Any]
Field: TypeAlias = dict[str, Any]
Given: TypeAlias = Mapping[str, str]
Ask: TypeAlias = Callable[[Snapshot, Given], Field | None]
"""Makes a question of a snapshot and of what is known; ``None`` where there is nothing to ask."""

LIVE: Final = ("live", "all_in")
GONE: Final = ("folded", "ghost")
DOWN_FIRST: Final = 2
"""Down cards of third street."""
SEATED: Final = ("live", "all_in", "folded", "ghost", "out")
STACK_MOST: Final = 10**9
WORDS_MOST: Final = 80
"""Words behind a named reason."""
PIECES: Final = (1, 5, 25, 100, 500, 1_000, 5_000, 25_000, 100_000)
"""What one chip is worth, in the table's smallest one."""


def choice(path: str, label: str, choices: Iterable[tuple[Any, Said]], *, many: bool = False) -> Field:
    """One of several answers, or several of them."""
    listed = [{"value": value, "text": words} for value, words in choices]
    return {"path": path, "label": say(label), "type": "choices" if many else "choice", "choices": listed}


def known(field: Field, value: Any) -> Field:
    """``field`` with its answer; as it is when there is none among its choices."""
    return {**field, "value": value} if any(one["value"] == value for one in field["choices"]) else field


def _seat_said(row: Mapping[str, Any]) -> Said:
    return say("ui.seat.of", n=row["seat"], name=row.get("name", ""))


def seats_in(states: Sequence[str], path: str = "seat", *, but_actor: bool = False) -> Ask:
    """Which seat, of those in one of ``states``; a seat that was touched is not asked for."""

    def field(snapshot: Snapshot, _: Given) -> Field:
        skipped = snapshot["claims"]["actor"] if but_actor else 0
        rows = [row for row in snapshot["seats"] if row["state"] in states and row["seat"] != skipped]
        return choice(path, "ui.ask.seat", [(row["seat"], _seat_said(row)) for row in rows])

    return field


def asking(snapshot: Snapshot, _: Given) -> Field:
    """A seat that asks for the floor, whether somebody sits there still or not."""
    return choice("seat", "ui.ask.seat", [(seat, say("ui.seat.of", n=seat, name="")) for seat in snapshot["asked"]])


def actor(snapshot: Snapshot, given: Given) -> Field:
    """The seat to act, which is the only one that can be meant: it is not asked for."""
    seat = snapshot["claims"]["actor"]
    rows = [row for row in snapshot["seats"] if row["seat"] == seat] or [row for row in snapshot["seats"] if row["state"] in LIVE]
    field = choice("seat", "ui.ask.seat", [(row["seat"], _seat_said(row)) for row in rows])
    return field if given.get("seat") else known(field, seat)


def number(path: str, label: str, most: int, least: int = 1) -> Ask:
    """A number that is keyed."""

    def field(_: Snapshot, __: Given) -> Field:
        return {"path": path, "label": say(label), "type": "number", "least": least, "most": most}

    return field


def words(path: str, label: str, most: int) -> Ask:
    """Words that are typed."""

    def field(_: Snapshot, __: Given) -> Field:
        return {"path": path, "label": say(label), "type": "text", "most": most}

    return field


def listed(path: str, label: str, choices: Iterable[tuple[Any, str]]) -> Ask:
    """One of the same answers at any time."""
    kept = tuple(choices)

    def field(_: Snapshot, __: Given) -> Field:
        return choice(path, label, [(value, say(key)) for value, key in kept])

    return field


def _nth(numbers: Iterable[int]) -> Field:
    return choice("number", "ui.ask.number", [(one, say("ui.ask.nth", n=one)) for one in numbers])


def with_cards(held: Callable[[Snapshot, Mapping[str, Any]], bool]) -> Ask:
    """Seats whose hand lives and of which ``held`` is true: of another one the card cannot be meant, it has none yet."""

    def field(snapshot: Snapshot, _: Given) -> Field:
        rows = [row for row in snapshot["seats"] if row["state"] in LIVE and held(snapshot, row)]
        return choice("seat", "ui.ask.seat", [(row["seat"], _seat_said(row)) for row in rows])

    return field


def has_down(_: Snapshot, row: Mapping[str, Any]) -> bool:
    """A down card lies at the seat (R-EXP-01)."""
    return bool(row.get("down"))


def has_third(_: Snapshot, row: Mapping[str, Any]) -> bool:
    """The seat has all its cards of third street (R-EXP-05)."""
    return bool(row.get("up")) and row.get("down", 0) >= DOWN_FIRST


def has_streets(snapshot: Snapshot, row: Mapping[str, Any]) -> bool:
    """The seat has a card of this street, which alone is replaced; on third street any (R-MIS-06, R-EXP-06)."""
    street = snapshot["hand"]["street"] or 3
    cards = row.get("down", 0) + len(row.get("up", ()))
    return bool(cards >= street or (street == 3 and cards))


def which(most: int) -> Ask:
    """Which card of the seat, as they lie."""
    return lambda _, __: _nth(range(1, most + 1))


def which_door(_: Snapshot, given: Given) -> Field:
    """Which card becomes the door card: the third as recorded, or one that was taken at random (R-EXP-05)."""
    return known(_nth((3, 1, 2)), int(given.get("number", "0") or 0) or 3)


def which_boxed(snapshot: Snapshot, given: Given) -> Field:
    """Which card lay face up in the deck: of the street's cards, for earlier ones stand (R-MIS-06)."""
    street = (snapshot["hand"] or {}).get("street") or 3
    row: Mapping[str, Any] = next((row for row in snapshot["seats"] if str(row["seat"]) == given.get("seat")), {})
    cards = row.get("down", 0) + len(row.get("up", ()))
    numbers = [one for one in range(cards, 0, -1) if street == 3 or one >= street] or [street]
    return known(_nth(numbers), int(given.get("number", "0") or 0) or numbers[0])


def kept(snapshot: Snapshot, _: Given) -> Field | None:
    """Who looked at a seventh card that came early (R-ERR-02): on earlier streets nobody can have."""
    if (snapshot["hand"] or {}).get("street") != 6:
        return None
    nobody = (0, say("ui.ask.nobody"))
    seats = [(row["seat"], _seat_said(row)) for row in snapshot["seats"] if row["state"] in LIVE]
    return known(choice("kept", "ui.ask.kept", [nobody, *seats]), 0)


def declaring(snapshot: Snapshot, _: Given) -> Field:
    """Who is asked whether he declares himself all-in (R-EXP-06)."""
    rows = [row for row in snapshot["seats"] if row["seat"] in snapshot["claims"]["may_declare"]]
    return choice("seat", "ui.ask.seat", [(row["seat"], _seat_said(row)) for row in rows])


def down_devices(snapshot: Snapshot) -> list[str]:
    """The devices that do not answer and that nobody has stepped past yet."""
    aside = snapshot["by_hand"]["set_aside"]
    return [name for name, link in snapshot["devices"].items() if link != "up" and name not in aside]


def device(snapshot: Snapshot, _: Given) -> Field:
    """Which device: the only one that does not answer is meant."""
    wrong = down_devices(snapshot)
    field = choice("device", "ui.ask.device", [(name, plain(name)) for name in wrong or snapshot["devices"]])
    return known(field, wrong[0]) if len(wrong) == 1 else field


def antenna(_: Snapshot, __: Given) -> Field:
    """The whole device, or one of its antennas."""
    field = known(choice("antenna", "ui.ask.antenna", [(0, say("ui.ask.antenna.all"))]), 0)
    return _or_keyed(field, "ui.ask.antenna.one", number("antenna", "ui.ask.antenna", 254, 0))


def place(snapshot: Snapshot, _: Given) -> Field:
    """Where a card lies: where the next one is due."""
    step = snapshot["step"]
    due = [*step.get("in_flight", ()), *step.get("plan", ())]
    places = list(dict.fromkeys(due)) or [f"seat/{row['seat']}/up" for row in snapshot["seats"] if row["state"] in LIVE]
    return known(choice("place", "ui.ask.place", [(one, place_said(one)) for one in places]), places[0] if places else None)


def card(path: str = "card") -> Ask:
    """A face, on the grid of those that are not seen."""

    def field(snapshot: Snapshot, _: Given) -> Field:
        seen = snapshot["by_hand"]["seen"]
        return {"path": path, "label": say("ui.ask.card"), "type": "card", "seen": seen, "may_skip": path == "card"}

    return field


def unread(snapshot: Snapshot, given: Given) -> Field | None:
    """The face of a card that was exposed, where there are cards that nobody has read; it is keyed beside the preview."""
    found = card()(snapshot, given) if snapshot["by_hand"]["to_key"] else None
    return None if found is None else {**found, "value": None, "may_skip": False}


def flight(snapshot: Snapshot, _: Given) -> Field | None:
    """Which of the cards that are out, where there are more than one: the readers tell, where they can."""
    out = len(snapshot["step"].get("in_flight", ()))
    if out < 2:
        return None
    told = (0, say("ui.ask.readers_tell"))
    each = [(one, say("ui.ask.nth", n=one)) for one in range(1, out + 1)]
    return known(choice("number", "ui.ask.flight", [told, *each]), 0)


def free_seat(snapshot: Snapshot, _: Given) -> Field:
    """Where nobody sits."""
    free = [row["seat"] for row in snapshot["seats"] if row["state"] == "empty"]
    return choice("to", "ui.ask.to_seat", [(seat, say("ui.ask.seat_n", n=seat)) for seat in free])


# --- what a seat did, and why a hand is dead ------------------------------------------------------------------------------------


def late_acts(snapshot: Snapshot, given: Given) -> Field | None:
    """What the seat to act had done before the card came, with its amounts; asked, for nothing tells it (R-ERR-01)."""
    return _acts(snapshot, given)


def acts_before_turn(snapshot: Snapshot, given: Given) -> Field | None:
    """What the seat did before its turn: a hand in the muck was folded, else the cheapest act is the likeliest (R-BET-14)."""
    field = _acts(snapshot, given)
    if field is None or not field["choices"]:
        return field
    seat = _given_seat(snapshot, given)
    folding = any(row["seat"] == seat and row.get("folding") for row in snapshot["seats"])
    return {**field, "value": field["choices"][-2 if folding else 0]["value"]}  # the fold stands last, before what is keyed


def _given_seat(snapshot: Snapshot, given: Given) -> int:
    return int(given.get("seat", "0") or 0) or snapshot["claims"]["actor"]


def _acts(snapshot: Snapshot, given: Given) -> Field | None:
    acts = snapshot["claims"]["acts"].get(_given_seat(snapshot, given), ())
    found = [({"verb": act["verb"], "to": act["to"]}, _act_said(act)) for act in acts]
    field = choice("act", "ui.ask.verb", found)
    asked = (listed("verb", "ui.ask.verb", [(verb, f"ui.verb.{verb}") for verb in ("call", "raise", "bet", "complete")]),)
    return _or_keyed(field, "ui.ask.other", *asked, number("to", "ui.ask.to", STACK_MOST, 0))


def _act_said(act: Mapping[str, Any]) -> Said:
    if act["all_in"]:
        return say("ui.act.allin.to", x=act["to"])
    return say(f"ui.act.{act['verb']}", x=_named(act))


def _named(act: Mapping[str, Any]) -> int:
    """A call names what is put in, a wager the total (screens §15)."""
    amount: int = act["amount"] if act["verb"] == "call" else act["to"]
    return amount


def _or_keyed(field: Field, label: str, *asks: Ask) -> Field:
    """``field`` with one more choice, behind which what no button has is asked for."""
    other = {"value": None, "text": say(label), "asks": [made for ask in asks if (made := ask({}, {})) is not None]}
    return {**field, "choices": [*field["choices"], other]}


def silent_chips(snapshot: Snapshot, _: Given) -> Field:
    """Chips that went in without a word: one larger chip, the raise in full, half a bet more, and just less (R-BET-12)."""
    acts = snapshot["claims"]["acts"].get(snapshot["claims"]["actor"], ())
    by_verb = {act["verb"]: act["amount"] for act in acts}
    owes = by_verb.get("call", by_verb.get("bring_in", 0))
    wagers = [act["amount"] for act in acts if act["verb"] in ("bet", "complete", "raise")]
    unit = snapshot["stakes"]["unit"]
    most = max((row.get("stack") or 0 for row in snapshot["seats"] if row["seat"] == snapshot["claims"]["actor"]), default=0)
    single = [(piece * unit, 1) for piece in PIECES if piece * unit > owes][:2]
    several = [(amount, 2) for amount in (*wagers, *_halves(owes, wagers, unit)) if owes < amount <= most]
    chips = [one for one in (*single[:1], *several, *single[1:]) if one[0] <= most]
    found = [
        ({"chips": amount, "pieces": pieces}, say("ui.ask.onechip" if pieces == 1 else "ui.ask.morechips", x=amount))
        for amount, pieces in dict.fromkeys(chips)
    ]
    asked = (number("chips", "ui.ask.chips", STACK_MOST), number("pieces", "ui.ask.pieces", 1000))
    return _or_keyed(choice("silent", "ui.ask.silent", found), "ui.ask.other", *asked)


def _halves(owes: int, wagers: Sequence[int], unit: int) -> tuple[int, ...]:
    """Half a bet beyond the call, which is a raise, and one chip less, which is none."""
    if not owes or not wagers:
        return ()
    half = owes + -(-(wagers[0] - owes) // (2 * unit)) * unit
    return half, half - unit


def dead_cause(snapshot: Snapshot, given: Given) -> Field:
    """Why a hand is dead: what the table has seen of the seat goes first (R-ABS-03)."""
    seat = int(given.get("seat", "0") or 0)
    row: Mapping[str, Any] = next((row for row in snapshot["seats"] if row["seat"] == seat), {})
    lifted = any(asked["code"] == "upcards_lifted" and asked["seat"] == seat for asked in snapshot["prompts"])
    seen = {
        DeadCause.IN_MUCK: bool(row.get("folding")) or _stopped_at(snapshot, "live_card_mucked", seat),
        DeadCause.UPCARDS_LIFTED: lifted,
        DeadCause.ABSENT: bool(row.get("away")),
        DeadCause.WRONG_COUNT: _stopped_at(snapshot, "extra_card", seat),
        DeadCause.OFF_TABLE: _stopped_at(snapshot, "card_not_seen", seat),
    }
    causes = sorted(DeadCause, key=lambda cause: not seen.get(cause, False))
    field = choice("cause", "ui.ask.cause", [(cause.value, say(f"dead.{cause.value}")) for cause in causes])
    return known(field, causes[0].value)


def _stopped_at(snapshot: Snapshot, code: str, seat: int) -> bool:
    hold = snapshot["hold"] or {}
    return hold.get("code") == code and (hold.get("place") or "").startswith(f"seat/{seat}")


def dead_seats(snapshot: Snapshot, given: Given) -> Field:
    """Which hands are dead: the one that was touched, and more beside the preview."""
    rows = [row for row in snapshot["seats"] if row["state"] in LIVE]
    seat = int(given.get("seat", "0") or 0)
    found = [(row["seat"], _seat_said(row)) for row in rows]
    if seat not in {row["seat"] for row in rows}:
        return choice("seat", "ui.ask.seats", found)
    return {**choice("seats", "ui.ask.seats", found, many=True), "value": [seat]}


def scrap(snapshot: Snapshot, _: Given) -> Field:
    """What a card is that is set aside: a joker where the shoe has told of one (R-MIS-06)."""
    joker = (snapshot["hold"] or {}).get("code") == "joker"
    field = choice("scrap", "ui.ask.scrap", [(one.value, say(f"scrap.{one.value}")) for one in Scrap])
    return known(field, (Scrap.JOKER if joker else Scrap.BOXED).value)


CAUSES: Final = listed("cause", "ui.ask.cause", [(cause.value, f"misdeal.{cause.value}") for cause in MisdealCause])
_PAUSES: Final = ("ui.pause.break", "ui.pause.relief", "ui.pause.cards", "ui.pause.other")
_VOIDS: Final = ("ui.void.fouled", "ui.void.cards", "ui.void.device", "ui.void.error", "ui.void.dispute")


def pause(_: Snapshot, __: Given) -> Field:
    """Why the table pauses."""
    return choice("reason", "ui.ask.why", [(say(key)["en"], say(key)) for key in _PAUSES])


def void_reason(_: Snapshot, __: Given) -> Field:
    """Why a hand is void, by name, so that it takes one touch; another reason in words (R-RULE-03, REG-40)."""
    field = choice("reason", "ui.ask.cause", [(say(key)["en"], say(key)) for key in _VOIDS])
    return _or_keyed(field, "ui.ask.other_reason", words("reason", "ui.ask.why", 200))


def merged(fields: list[Field], most: int) -> list[Field]:
    """Seat and card in one question where its answers fit on the sheet: a touch less to the preview (screens §7)."""
    if [made["path"] for made in fields[:2]] != ["seat", "number"] or "value" in fields[1]:
        return fields
    seats, numbers = (made["choices"] for made in fields[:2])
    if len(seats) * len(numbers) > most:
        return fields
    both = [
        ({"seat": seat["value"], "number": one["value"]}, joined([seat["text"], one["text"]], " · "))
        for seat in seats
        for one in numbers
    ]
    return [choice("seat_card", "ui.ask.seat_card", both), *fields[2:]]
