"""The access list as text; what it lets each client do is tried at a real mosquitto (test_installation_rights)."""

from __future__ import annotations

from controller.installation.access import Grant, TableClients, acl_text, of_venue


def test_each_user_has_its_own_lines() -> None:
    """What is both read and written is one line."""
    assert acl_text([Grant("a", ("x", "y"), ("y", "z")), Grant("b", (), ("w",))]) == (
        "user a\ntopic readwrite y\ntopic read x\ntopic write z\n\nuser b\ntopic write w\n"
    )


def test_nobody_but_a_table_has_a_wildcard_below_a_seat() -> None:
    """Seats' topics are named one by one, so that no seat reads another's."""
    grants = of_venue("nice", [TableClients("T1", (1, 2))], ["floor"], ["ann"])
    for grant in grants:
        if grant.user != "table-T1":
            assert not any("#" in topic or topic.startswith("stud/v1/nice/+/seat") for topic in (*grant.reads, *grant.writes))
    assert [grant.user for grant in grants] == [
        "table-T1",
        "display-T1-seat-1",
        "display-T1-seat-2",
        "display-T1-public",
        "bridge-T1",
        "floor",
        "auditor-ann",
    ]
