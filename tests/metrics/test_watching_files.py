"""Alert rules and dashboard ask for what there is: every metric and label in their queries, and words for people."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from controller.keys.authority import AUTHORITY
from controller.metrics.declared import Kind, Metric
from controller.metrics.exposition import PROCESS
from controller.metrics.floor_metrics import FLOOR_METRICS
from controller.metrics.table_metrics import OWN, TABLE_METRICS

ROOT: Final = Path(__file__).parents[2]
PROMETHEUS: Final = ROOT / "deploy/prometheus"
TARGET: Final = {"job", "instance"}
"""Labels that Prometheus puts on whatever it scrapes."""
FUNCTIONS: Final = {"abs", "count", "histogram_quantile", "increase", "max", "min", "rate", "sum", "timestamp", "vector", "time"}
WORDS: Final = {"and", "or", "unless", "bool"}


def series() -> dict[str, set[str]]:
    """Every series that Prometheus has of us, with its labels."""
    known = {"up": set(TARGET)}
    for metric in (*TABLE_METRICS, *FLOOR_METRICS):
        labels = {*metric.labels, *TARGET, *({"table"} if metric in OWN else ())}
        known |= dict.fromkeys(_names(metric), labels)
        if metric.kind is Kind.HISTOGRAM:
            known[f"{metric.name}_bucket"] = {*labels, "le"}
    return known


def _names(metric: Metric) -> list[str]:
    if metric.kind is not Kind.HISTOGRAM:
        return [metric.name]
    return [f"{metric.name}_{part}" for part in ("bucket", "sum", "count")]


def faults(query: str) -> list[str]:
    """Metrics, labels and functions of a query that do not exist."""
    known, found = series(), []
    grouped = re.findall(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)", query)
    rest = re.sub(r"\b(?:by|without|on|ignoring)\s*\([^)]*\)", " ", query)
    asked: set[str] = set()
    for name, labels in re.findall(r"\b([a-zA-Z_:][\w:]*)\s*(\{[^}]*\})", rest):
        given = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", labels))
        found += [f"{name} has no label {label}" for label in sorted(given - known.get(name, given))]
    rest = re.sub(r"\{[^}]*\}|\[[^\]]*\]|\"[^\"]*\"", " ", rest)
    for name, opens in re.findall(r"\b([a-zA-Z_:][\w:]*)\s*(\(?)", rest):
        if opens:
            found += [] if name in FUNCTIONS else [f"no function {name}"]
        elif name not in WORDS:
            asked.add(name)
            found += [] if name in known else [f"no metric {name}"]
    labels_of = set().union(*(known.get(name, set()) for name in asked)) if asked else set()
    named = {label.strip() for group in grouped for label in group.split(",")}
    return found + [f"no label {label}" for label in sorted(named - labels_of)]


def alerts() -> list[dict[str, Any]]:
    rules = yaml.safe_load((PROMETHEUS / "alerts.yml").read_text(encoding="utf-8"))
    return [rule for group in rules["groups"] for rule in group["rules"]]


def board() -> dict[str, Any]:
    read: dict[str, Any] = json.loads((ROOT / "deploy/grafana/stud-table.json").read_text(encoding="utf-8"))
    return read


def panel_queries() -> Iterator[tuple[str, str, str]]:
    for panel in board()["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"], target["legendFormat"]


def test_every_alert_asks_for_what_there_is() -> None:
    """A renamed metric would make an alert that never comes."""
    assert len(alerts()) > 20
    assert not {rule["alert"]: wrong for rule in alerts() if (wrong := faults(rule["expr"]))}


@pytest.mark.parametrize("query", ["stud_hands_total > 1", 'stud_table_status{state="live"}', "sum(stud_floor_pages) by (code)"])
def test_a_query_for_what_is_not_there_is_found(query: str) -> None:
    """A metric, a label of a selector, and a label to group by."""
    assert faults(query)


def test_every_alert_says_what_why_and_the_way_out_in_both_languages() -> None:
    """And names no label in its words that its query does not have."""
    wanted = {f"{part}{language}" for part in ("summary", "cause", "remedy") for language in ("", "_fr")}
    assert len({rule["alert"] for rule in alerts()}) == len(alerts())
    for rule in alerts():
        words = rule["annotations"]
        assert words.keys() == wanted, rule["alert"]
        assert all(words[f"{part}_fr"] != words[part] for part in ("summary", "cause", "remedy")), rule["alert"]
        assert rule["labels"]["severity"] in ("page", "ticket")
        told = set(re.findall(r"\$labels\.(\w+)", " ".join(words.values())))
        assert told <= labels_of(rule["expr"]), rule["alert"]


def labels_of(query: str) -> set[str]:
    known = series()
    named = [known[name] for name in re.findall(r"[a-zA-Z_:][\w:]*", query) if name in known]
    grouped = re.findall(r"\bby\s*\(([^)]*)\)", query)
    return {label.strip() for label in grouped[0].split(",")} if grouped else set.intersection(*named)


def test_every_panel_asks_for_what_there_is() -> None:
    """Legends too."""
    queries = list(panel_queries())
    assert len(queries) > 30
    assert not {title: wrong for title, query, _ in queries if (wrong := faults(query))}
    for title, query, legend in queries:
        assert set(re.findall(r"\{\{(\w+)\}\}", legend)) <= labels_of(query), title
    variable = next(one for one in board()["templating"]["list"] if one["name"] == "table")
    metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]).groups()  # type: ignore[union-attr]
    assert label in series()[metric]


def test_panels_lie_side_by_side() -> None:
    """None covers another, and each has its own number."""
    panels = board()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not taken & cells, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells


def test_the_example_scrapes_under_the_names_that_alerts_use() -> None:
    """And loads the alerts."""
    example = yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text(encoding="utf-8"))
    jobs = {job["job_name"] for job in example["scrape_configs"]}
    used = set(re.findall(r'job="([\w-]+)"', " ".join(rule["expr"] for rule in alerts())))
    assert used == jobs
    assert example["rule_files"] == ["alerts.yml"]
    assert all(job.get("metrics_path", "/metrics") == "/metrics" for job in example["scrape_configs"])
    for job in example["scrape_configs"]:  # production serves no plain address, and a certificate is for a name
        assert (job["scheme"], job["tls_config"]) == ("https", {"ca_file": AUTHORITY, "min_version": "TLS12"})
        assert all(
            target.partition(":")[0].endswith(".room.example") for one in job["static_configs"] for target in one["targets"]
        )


def test_the_process_is_known_by_the_same_names_at_both() -> None:
    """Table and floor tell their own alike."""
    assert set(PROCESS) <= set(TABLE_METRICS) & set(FLOOR_METRICS)
