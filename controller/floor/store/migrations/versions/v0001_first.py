"""The first form of the store: what the tables of a venue published, by the keys that they gave it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from controller.floor.store.tables import Utc

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make every table; on PostgreSQL the events in months, and one part for what fits no month."""
    op.create_table(
        "events",
        *_who(),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.Column("previous", sa.BigInteger()),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("event", sa.String(48), nullable=False),
        sa.Column("hand", sa.BigInteger()),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("venue", "table_name", "journal", "seq", "at"),
        postgresql_partition_by="RANGE (at)",
    )
    op.create_index("events_by_hand", "events", ["venue", "table_name", "journal", "hand"])
    if op.get_bind().dialect.name == "postgresql":
        op.execute("CREATE TABLE events_other PARTITION OF events DEFAULT")
    op.create_table(
        "marks",
        *_who(),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.PrimaryKeyConstraint("venue", "table_name", "journal"),
    )
    op.create_table(
        "holes",
        *_who(),
        sa.Column("after_seq", sa.BigInteger(), nullable=False),
        sa.Column("next_seq", sa.BigInteger(), nullable=False),
        sa.Column("found_at", Utc(), nullable=False),
        sa.PrimaryKeyConstraint("venue", "table_name", "journal", "after_seq"),
    )
    op.create_table(
        "hands",
        *_who(),
        sa.Column("hand", sa.BigInteger(), nullable=False),
        sa.Column("opened_seq", sa.BigInteger()),
        sa.Column("opened_at", Utc()),
        sa.Column("ended_seq", sa.BigInteger()),
        sa.Column("ended_at", Utc()),
        sa.Column("outcome", sa.String(48)),
        sa.PrimaryKeyConstraint("venue", "table_name", "journal", "hand"),
    )
    op.create_index("hands_by_end", "hands", ["venue", "ended_at"])
    op.create_table(
        "rulings",
        *_who(),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.Column("hand", sa.BigInteger()),
        sa.Column("code", sa.String(48), nullable=False),
        sa.PrimaryKeyConstraint("venue", "table_name", "journal", "seq"),
    )
    op.create_table(
        "alarms",
        *_who(journal=False),
        sa.Column("alarm", sa.String(64), nullable=False),
        sa.Column("raised_at", Utc(), nullable=False),
        sa.Column("code", sa.String(48), nullable=False),
        sa.Column("priority", sa.SmallInteger(), nullable=False),
        sa.Column("place", sa.String(32)),
        sa.Column("device", sa.String(64)),
        sa.Column("own", sa.Boolean(), nullable=False),
        sa.Column("text_en", sa.Text(), nullable=False),
        sa.Column("text_fr", sa.Text(), nullable=False),
        sa.Column("acknowledged_by", sa.String(64)),
        sa.Column("cleared_at", Utc()),
        sa.PrimaryKeyConstraint("venue", "table_name", "alarm", "raised_at"),
    )
    op.create_table(
        "statuses",
        *_who(journal=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.Column("journal", sa.String(8)),
        sa.Column("dealer", sa.String(64)),
        sa.PrimaryKeyConstraint("venue", "table_name", "epoch", "seq", "status"),
    )
    op.create_table(
        "heads",
        *_who(),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("head", sa.String(64), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.PrimaryKeyConstraint("venue", "table_name", "journal", "seq"),
    )


def _who(*, journal: bool = True) -> list[sa.Column[str]]:
    names = [sa.Column("venue", sa.String(64), nullable=False), sa.Column("table_name", sa.String(64), nullable=False)]
    return [*names, sa.Column("journal", sa.String(8), nullable=False)] if journal else names
