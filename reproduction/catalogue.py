"""All published experiments by name.

To add one, write a module with a :class:`~reproduction.experiment.PublishedExperiment` and list it
here.
"""

from collections.abc import Mapping
from types import MappingProxyType

from reproduction import (
    bahsic_table4,
    bahsic_tables12,
    l1lsmi_table4,
    l1lsmi_table7,
    n3lars_table2,
    thesis_blackbox,
    thesis_cleavage,
    thesis_synthetic,
)
from reproduction.experiment import PublishedExperiment

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: Mapping[str, PublishedExperiment] = MappingProxyType(
    {
        experiment.name: experiment
        for experiment in (
            bahsic_tables12.EXPERIMENT,
            bahsic_table4.EXPERIMENT,
            n3lars_table2.EXPERIMENT,
            l1lsmi_table4.EXPERIMENT,
            l1lsmi_table7.EXPERIMENT,
            thesis_synthetic.EXPERIMENT,
            thesis_blackbox.EXPERIMENT,
            thesis_cleavage.EXPERIMENT,
        )
    }
)
