"""The posted rules of a table in words, made from its house rules, stakes and game; and their fingerprint.

Every knob has one plain sentence that differs by its value, so what is posted and what is played cannot part. The fingerprint
is the same in every language: it is made of the values, not of the words.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final, NamedTuple

from controller.hand.rules import HouseRules, canonical_rules, knob_rule, knob_values
from controller.hand.stakes import Stakes
from controller.hand.variants import VariantCode
from controller.words.catalogue import Language, catalogue, text

HASH_DIGITS: Final = 16

_STAKES_RULES: Final = {
    "ante": "R-ANTE-01",
    "bring_in": "R-BRING-03",
    "small": "R-SETUP-02",
    "big": "R-SETUP-02",
    "unit": "R-SETUP-06",
}
_SECTIONS: Final = {
    "table": ("game.type", "table.", "buyin."),
    "deal": ("shuffle.", "cut.", "deal.", "stub.policy"),
    "slips": ("misdeal.", "expose.", "premature."),
    "bring_in": ("bring_in.", "open.", "stub.community_opener"),
    "betting": ("fourth_pair.", "cap.", "allin.", "straddle.", "kill."),
    "showdown": ("showdown.", "odd_chip.", "hilo.", "run_it_twice"),
    "people": ("clock.", "absent.", "rake."),
}
"""Which knobs stand under which heading, by the beginning of their names."""


class CardLine(NamedTuple):
    """One posted rule: its sentence and the id of the rule."""

    text: str
    rule: str


class CardSection(NamedTuple):
    """Rules under one heading."""

    title: str
    lines: tuple[CardLine, ...]


class RuleCard(NamedTuple):
    """The posted rules of a table. ``fingerprint`` is ``rules_hash``."""

    title: str
    preset: str
    game: str
    sections: tuple[CardSection, ...]
    fingerprint: str


def rules_hash(rules: HouseRules, stakes: Stakes, variant: VariantCode) -> str:
    """Sixteen hexadecimal digits of the SHA-256 of every knob's value, the stakes and the game; the preset's name is no rule."""
    return sha256(canonical_rules(rules, stakes, variant).encode()).hexdigest()[:HASH_DIGITS]


def knob_words(name: str, value: str, language: Language) -> str:
    """The sentence of a knob at ``value``; ``KeyError`` for a knob or value without one."""
    exact = f"knob.{name}.{value}"
    return text(exact, language) if exact in catalogue(language) else text(f"knob.{name}", language, x=value)


def rule_card(rules: HouseRules, stakes: Stakes, variant: VariantCode, language: Language) -> RuleCard:
    """The rules of a table in words; all three games' knobs, since the game may change between hands (R-SETUP-02)."""
    lines = {name: CardLine(knob_words(name, value, language), knob_rule(name)) for name, value in knob_values(rules).items()}
    posted = tuple(
        CardLine(text(f"card.stakes.{name}", language, x=amount), _STAKES_RULES[name])
        for name, amount in stakes._asdict().items()
    )
    sections = []
    for key, beginnings in _SECTIONS.items():
        of_section = tuple(line for name, line in lines.items() if name.startswith(beginnings))
        shown = (*posted, *of_section) if key == "table" else of_section
        sections.append(CardSection(text(f"card.section.{key}", language), shown))
    fingerprint = rules_hash(rules, stakes, variant)
    return RuleCard(
        text("card.title", language, game=text(f"lbl.{variant.value}", language)),
        text("card.preset", language, preset=text(f"card.preset.{rules.preset}", language)),
        text(f"card.game.{variant.value}", language),
        tuple(sections),
        fingerprint,
    )


def card_text(card: RuleCard, language: Language) -> str:
    """The whole card as plain lines, each rule with its id."""
    parts = [card.title, "", card.game, "", card.preset]
    for section in card.sections:
        parts += ["", section.title, *(f"  {line.text} ({line.rule})" for line in section.lines)]
    return "\n".join([*parts, "", text("card.hash", language, hash=card.fingerprint), ""])
