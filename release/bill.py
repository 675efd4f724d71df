"""The bill of materials of a release: CycloneDX 1.6 as JSON, from the lock, with licences, hashes and who needs whom.

It names packages by package URL (``pkg:pypi/…``) and holds no address of a download. The same wheel and lock give the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID, uuid5

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.dependency import Dependency
from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from release.locked import PROGRAM, Locked

_SPACE: Final = UUID("5d8a6a0e-6f5c-5a5e-9c5d-7b5a5c1f0a52")
"""Namespace of our bills' serial numbers: one number for each wheel."""


def bill(
    version: str,
    wheel_digest: str,
    epoch: int,
    locked: Iterable[Locked],
    needed: Mapping[str, tuple[str, ...]],
    licences: Mapping[str, str],
) -> str:
    """The bill of the wheel with SHA-256 ``wheel_digest``, made at ``epoch`` (seconds). Build tools are in scope ``excluded``."""
    own = _component(Locked(PROGRAM, version, (wheel_digest,)), "MIT", ComponentType.APPLICATION)
    parts = {one.name: _component(one, licences[one.name], scope=_scope(one.name, needed)) for one in locked}
    made = Bom(
        components=parts.values(),
        metadata=BomMetaData(component=own, timestamp=datetime.fromtimestamp(epoch, UTC)),
        serial_number=uuid5(_SPACE, wheel_digest),
        dependencies=[
            Dependency(component.bom_ref, [Dependency(parts[other].bom_ref) for other in needed.get(name, ())])
            for name, component in {PROGRAM: own, **parts}.items()
        ],
    )
    told: dict[str, Any] = json.loads(JsonV1Dot6(made).output_as_string())
    return json.dumps(told, indent=1, sort_keys=True) + "\n"


def _component(
    one: Locked, licence: str, kind: ComponentType = ComponentType.LIBRARY, scope: ComponentScope | None = None
) -> Component:
    url = PackageURL("pypi", name=one.name, version=one.version)
    expression = " " in licence
    return Component(
        name=one.name,
        version=one.version,
        type=kind,
        scope=scope,
        purl=url,
        bom_ref=str(url),
        licenses=[LicenseExpression(licence) if expression else DisjunctiveLicense(id=licence)],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest) for digest in one.hashes],
    )


def _scope(name: str, needed: Mapping[str, tuple[str, ...]]) -> ComponentScope:
    return ComponentScope.REQUIRED if name in needed else ComponentScope.EXCLUDED
