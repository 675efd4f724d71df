"""The text that a Prometheus server reads, made anew for each scrape; the one module that knows ``prometheus_client``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from controller.histogram import Histogram
from controller.metrics.declared import Kind, Metric, Sample, counter, gauge

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

PROCESS: Final = (
    counter("process_cpu_seconds_total", "Processor time that the program has used, in seconds."),
    gauge("process_resident_memory_bytes", "Memory that the program holds."),
    gauge("process_start_time_seconds", "When the program was started, in seconds since 1970."),
)
"""What is told of the process itself, by the library's own reader of ``/proc``."""
_OF_PROCESS: Final = {metric.name.removesuffix("_total") for metric in PROCESS}

Samples = Callable[[], Iterable[Sample]]


class Exposition:
    """The metrics of one program. ``constant`` names it on each of its own samples, as ``("table", "T1")``."""

    def __init__(self, declared: Iterable[Metric], samples: Samples, constant: tuple[str, str] | None = None) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(_Own(tuple(declared), samples, constant))
        self._registry.register(_Process())

    def text(self) -> bytes:
        """Every metric as of now."""
        return generate_latest(self._registry)


class _Own(Collector):
    """Our own metrics, each under its declaration even while it has no value."""

    def __init__(self, declared: tuple[Metric, ...], samples: Samples, constant: tuple[str, str] | None) -> None:
        self._declared = declared
        self._samples = samples
        self._constant = constant

    def collect(self) -> Iterator[Family]:
        names, values = ((self._constant[0],), (self._constant[1],)) if self._constant else ((), ())
        families = {metric: _family(metric, (*names, *metric.labels)) for metric in self._declared}
        for sample in self._samples():
            _add(families[sample.metric], (*values, *sample.labels), sample.value)
        yield from families.values()


class _Process(Collector):
    """What is wanted of the library's process collector, and no more."""

    def __init__(self) -> None:
        self._all = ProcessCollector(registry=None)

    def collect(self) -> Iterator[Family]:
        yield from (family for family in self._all.collect() if family.name in _OF_PROCESS)


def _family(metric: Metric, labels: tuple[str, ...]) -> Family:
    match metric.kind:
        case Kind.COUNTER:
            return CounterMetricFamily(metric.name, metric.about, labels=labels)
        case Kind.GAUGE:
            return GaugeMetricFamily(metric.name, metric.about, labels=labels)
        case Kind.HISTOGRAM:
            return HistogramMetricFamily(metric.name, metric.about, labels=labels)


def _add(family: Family, labels: tuple[str, ...], value: float | Histogram) -> None:
    if isinstance(family, CounterMetricFamily | GaugeMetricFamily) and not isinstance(value, Histogram):
        family.add_metric(labels, value)
    elif isinstance(family, HistogramMetricFamily) and isinstance(value, Histogram):
        bounds = (*map(str, value.bounds), "+Inf")
        family.add_metric(labels, list(zip(bounds, accumulate(value.counts), strict=True)), value.total)
    else:
        raise TypeError(f"{family.name} is declared as {family.type} and was given {type(value).__name__}")
