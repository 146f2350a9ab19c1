"""Published experiments, run again and held to the published figures.

To add one, write a module with an :class:`~hsieve.experiments.base.Experiment` and list it here.
"""

from collections.abc import Mapping
from types import MappingProxyType

from hsieve.experiments import bahsic_table4, n3lars_table2
from hsieve.experiments.base import Comparison, Experiment, Figure, Record, Settings

__all__ = ["EXPERIMENTS", "Comparison", "Experiment", "Figure", "Record", "Settings"]

EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType(
    {
        experiment.name: experiment
        for experiment in (bahsic_table4.EXPERIMENT, n3lars_table2.EXPERIMENT)
    }
)
