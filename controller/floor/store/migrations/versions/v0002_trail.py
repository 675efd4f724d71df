"""What people did at the floor."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from controller.floor.store.tables import Utc

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the trail."""
    op.create_table(
        "trail",
        sa.Column("venue", sa.String(64), nullable=False),
        sa.Column("entry", sa.String(64), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("person", sa.String(64), nullable=False),
        sa.Column("table_name", sa.String(64)),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("venue", "entry"),
    )
    op.create_index("trail_by_time", "trail", ["venue", "at"])
