"""Where old months of the events were dropped."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from controller.floor.store.tables import Utc

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Nothing was dropped before."""
    op.create_table(
        "cuts",
        sa.Column("venue", sa.String(64), nullable=False),
        sa.Column("table_name", sa.String(64), nullable=False),
        sa.Column("journal", sa.String(8), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("link", sa.String(64)),
        sa.Column("events", sa.BigInteger(), nullable=False),
        sa.Column("dropped_at", Utc(), nullable=False),
        sa.PrimaryKeyConstraint("venue", "table_name", "journal", "seq"),
    )
