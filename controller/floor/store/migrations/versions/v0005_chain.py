"""The chain of the public events: links, how far they were proven, holes that were closed, and what was found to differ."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from controller.floor.store.tables import Utc

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """What was kept before has no link, and is compared without one."""
    op.add_column("events", sa.Column("link", sa.String(64)))
    op.add_column("marks", sa.Column("link", sa.String(64)))
    op.add_column("marks", sa.Column("verified", sa.BigInteger()))
    op.add_column("holes", sa.Column("closed_at", Utc()))
    op.create_table(
        "differences",
        sa.Column("venue", sa.String(64), nullable=False),
        sa.Column("table_name", sa.String(64), nullable=False),
        sa.Column("journal", sa.String(8), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("what", sa.String(16), nullable=False),
        sa.Column("found_at", Utc(), nullable=False),
        sa.PrimaryKeyConstraint("venue", "table_name", "journal", "seq", "what"),
    )
