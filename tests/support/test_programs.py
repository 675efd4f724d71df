"""The claims that rest on a foreign program must not fall silent where it counts."""

from __future__ import annotations

import pytest

from support.programs import program


@pytest.mark.parametrize(("ci", "ends"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_missing_program_is_a_failure_in_ci(ci: str, ends: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ends, match="nfc-list is not installed: apt-get install libnfc-bin"):
        program("nfc-list", package="libnfc-bin")


def test_any_name_of_a_program_will_do() -> None:
    assert program("no-such-program", "sh", package="dash").endswith("/sh")
