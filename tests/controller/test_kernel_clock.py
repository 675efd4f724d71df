"""What the kernel says of the machine's clock."""

from __future__ import annotations

from controller.kernel_clock import is_synchronised


def test_the_kernel_tells_whether_the_clock_is_kept() -> None:
    """Whatever keeps it, chrony or systemd; 5 says that nothing does (adjtimex(2)), and without an answer nothing is claimed."""
    assert [is_synchronised(lambda told=told: told) for told in (0, 3, 5, -1)] == [True, True, False, None]  # type: ignore[misc]
    assert is_synchronised() in (True, False, None)
