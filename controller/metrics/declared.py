"""What a metric is, and one value of it. Nothing here knows who reads them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from controller.histogram import Histogram


class Kind(Enum):
    """How a metric moves."""

    COUNTER = "counter"
    """Grows from 0 at each start of the program."""
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric by its full name: a counter ends in ``_total``, units are base units (Prometheus' naming). ``about`` says what
    it is; ``labels`` are its own, each with few values that the code or the configuration knows."""

    name: str
    kind: Kind
    about: str
    labels: tuple[str, ...] = ()


class Sample(NamedTuple):
    """A value of ``metric`` now; ``labels`` in the order of its declaration."""

    metric: Metric
    value: float | Histogram
    labels: tuple[str, ...] = ()


def counter(name: str, about: str, *labels: str) -> Metric:
    """A counter."""
    if not name.endswith("_total"):
        raise ValueError(f"the counter {name} does not end in _total: name it so")
    return Metric(name, Kind.COUNTER, about, labels)


def gauge(name: str, about: str, *labels: str) -> Metric:
    """A gauge."""
    return Metric(name, Kind.GAUGE, about, labels)


def histogram(name: str, about: str, *labels: str) -> Metric:
    """A histogram."""
    return Metric(name, Kind.HISTOGRAM, about, labels)
