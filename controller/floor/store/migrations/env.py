"""Runs the migrations on the connection that the store hands over (Alembic reads this file by its name)."""

from __future__ import annotations

from alembic import context

from controller.floor.store.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
