"""Hands that are found and counted: game, dealer, pot and length of each, who played, what went wrong, who ruled."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from controller.floor.store.tables import Utc

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Widen hands and rulings; make players and slips. What was kept before has no figures there."""
    for name, kind in (("variant", sa.String(8)), ("dealer", sa.String(64)), ("players", sa.SmallInteger())):
        op.add_column("hands", sa.Column(name, kind))
    for name, whole in (("pot", sa.BigInteger()), ("rake", sa.BigInteger()), ("seconds", sa.Integer()), ("hour", sa.Integer())):
        op.add_column("hands", sa.Column(name, whole))
    for name in ("role", "person", "agreed_by"):
        op.add_column("rulings", sa.Column(name, sa.String(64)))
    op.create_index("hands_by_table", "hands", ["venue", "table_name", "ended_at"])
    op.create_index("hands_by_dealer", "hands", ["venue", "dealer", "ended_at"])
    counted = ["table_name", "dealer", "variant", "outcome", "players", "seconds", "rake"]
    op.create_index("hands_counted", "hands", ["venue", "hour", *counted])
    op.create_table(
        "players",
        *_who(),
        sa.Column("hand", sa.BigInteger(), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("name_key", sa.String(64), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.PrimaryKeyConstraint("venue", "table_name", "journal", "hand", "seat"),
    )
    op.create_index("players_by_name", "players", ["venue", "name_key", "at"])
    op.create_table(
        "slips",
        *_who(),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.Column("hand", sa.BigInteger()),
        sa.Column("event", sa.String(48), nullable=False),
        sa.Column("code", sa.String(48), nullable=False),
        sa.Column("place", sa.String(32)),
        sa.Column("seat", sa.SmallInteger()),
        sa.Column("until_seq", sa.BigInteger()),
        sa.Column("until_at", Utc()),
        sa.Column("seconds", sa.Float()),
        sa.PrimaryKeyConstraint("venue", "table_name", "journal", "seq"),
    )
    op.create_index("slips_by_time", "slips", ["venue", "at"])


def _who() -> list[sa.Column[str]]:
    names = [sa.Column("venue", sa.String(64), nullable=False), sa.Column("table_name", sa.String(64), nullable=False)]
    return [*names, sa.Column("journal", sa.String(8), nullable=False)]
