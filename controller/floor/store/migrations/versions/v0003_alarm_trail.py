"""The life of an alarm: when it called, who saw it when, and its trail."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from controller.floor.store.tables import Utc

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """More columns for the alarms, and a table of their trail. Alarms that were kept before have no calls."""
    for column in (
        sa.Column("epoch", sa.BigInteger()),
        sa.Column("told_at", Utc()),
        sa.Column("hand", sa.BigInteger()),
        sa.Column("called_at", Utc()),
        sa.Column("acknowledged_at", Utc()),
    ):
        op.add_column("alarms", column)
    op.create_index("alarms_by_raise", "alarms", ["venue", "raised_at"])
    op.create_table(
        "alarm_trail",
        sa.Column("venue", sa.String(64), nullable=False),
        sa.Column("table_name", sa.String(64), nullable=False),
        sa.Column("alarm", sa.String(64), nullable=False),
        sa.Column("raised_at", Utc(), nullable=False),
        sa.Column("entry", sa.String(48), nullable=False),
        sa.Column("what", sa.String(16), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.Column("by_name", sa.String(64)),
        sa.Column("reason", sa.Text()),
        sa.Column("until", Utc()),
        sa.Column("code", sa.String(48)),
        sa.Column("hand", sa.BigInteger()),
        sa.Column("kept_at", Utc(), nullable=False),
        sa.PrimaryKeyConstraint("venue", "table_name", "alarm", "raised_at", "entry"),
    )
    op.create_index("alarm_trail_by_time", "alarm_trail", ["venue", "kept_at"])
