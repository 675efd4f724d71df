"""The waiting list and the dealers' rota."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from controller.floor.store.tables import Utc

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make both."""
    op.create_table(
        "waiting",
        sa.Column("venue", sa.String(64), nullable=False),
        sa.Column("entry", sa.String(64), nullable=False),
        sa.Column("variant", sa.String(16), nullable=False),
        sa.Column("small", sa.BigInteger(), nullable=False),
        sa.Column("big", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("since", Utc(), nullable=False),
        sa.Column("standing", sa.String(16), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("called_at", Utc()),
        sa.Column("seat_table", sa.String(64)),
        sa.Column("ended_at", Utc()),
        sa.PrimaryKeyConstraint("venue", "entry"),
    )
    op.create_index("waiting_now", "waiting", ["venue", "ended_at"])
    op.create_table(
        "shifts",
        sa.Column("venue", sa.String(64), nullable=False),
        sa.Column("shift", sa.String(64), nullable=False),
        sa.Column("table_name", sa.String(64), nullable=False),
        sa.Column("dealer", sa.String(64), nullable=False),
        sa.Column("starts", Utc(), nullable=False),
        sa.Column("ends", Utc(), nullable=False),
        sa.PrimaryKeyConstraint("venue", "shift"),
    )
    op.create_index("shifts_by_end", "shifts", ["venue", "ends"])
