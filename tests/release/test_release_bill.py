"""The bill of materials: valid CycloneDX, the same each time, everything of the lock in it and no address of a download."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from release.bill import bill
from release.licences import LOCK, licences_of
from release.locked import needs, read_lock


@pytest.fixture(scope="module")
def made() -> str:
    """The bill of a wheel."""
    locked = read_lock(LOCK)
    needed, licences = needs(locked), licences_of(locked)
    first = bill("0.1.0", "ab" * 32, 1_700_000_000, locked, needed, licences)
    assert bill("0.1.0", "ab" * 32, 1_700_000_000, reversed(locked), needed, licences) == first
    return first


def test_it_is_valid(made: str) -> None:
    """By the schema of CycloneDX 1.6, whose own address is the only one in it."""
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(made) is None
    assert set(re.findall(r"\w+://[^\"]*", made)) == {"http://cyclonedx.org/schema/bom-1.6.schema.json"}


def test_it_has_every_package_with_version_licence_hashes_and_needs(made: str) -> None:
    """Build tools are no part of what runs."""
    told: dict[str, Any] = json.loads(made)
    parts = {one["name"]: one for one in told["components"]}
    locked = {one.name: one for one in read_lock(LOCK)}
    assert parts.keys() == locked.keys()
    for name, one in parts.items():
        assert one["version"] == locked[name].version
        assert one["licenses"]
        assert {each["content"] for each in one["hashes"]} == set(locked[name].hashes) != set()
    assert {one["name"] for one in parts.values() if one["scope"] == "excluded"} >= {"hatchling", "editables"}
    assert {one["name"] for one in parts.values() if one["scope"] == "required"} >= {"psycopg-binary", "greenlet", "h11"}
    needed = {one["ref"].removeprefix("pkg:pypi/").partition("@")[0]: one.get("dependsOn", []) for one in told["dependencies"]}
    assert any("uvicorn@" in ref for ref in needed["stud-table"])
    assert any("greenlet@" in ref for ref in needed["sqlalchemy"])
    own = told["metadata"]["component"]
    assert (own["version"], own["hashes"][0]["content"]) == ("0.1.0", "ab" * 32)
