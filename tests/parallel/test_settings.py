"""Engines are described lightly, and a wrong description is refused before any work."""

import copy
import subprocess
import sys
from typing import Any

import pytest

from hsieve.parallel import EngineError, EngineSettings, make_engine, spark
from hsieve.parallel.dask import DaskEngine
from hsieve.parallel.settings import SerialEngine, ThreadEngine
from hsieve.parallel.spark import SparkEngine
from tests import needs


@pytest.mark.parametrize(
    ("description", "kind"),
    [
        (None, SerialEngine),
        ("local", SerialEngine),
        ("threads", ThreadEngine),
        ("dask", DaskEngine),
        pytest.param("spark", SparkEngine, marks=needs.pyspark),
        ({"name": "threads", "n_workers": 3}, ThreadEngine),
        ({}, SerialEngine),
        (EngineSettings("dask", scheduler="tcp://127.0.0.1:8786"), DaskEngine),
    ],
)
def test_descriptions_make_engines_without_starting_anything(description: Any, kind: type) -> None:
    assert type(make_engine(copy.deepcopy(description))) is kind


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ("ray", "must be 'local', 'threads', 'dask' or 'spark', got 'ray'"),
        (
            {"name": "dask", "shedular": "x"},
            "name, n_workers, scheduler, in_flight, staging; got 'shedular'",
        ),
        (3, "a name, a dict of settings or EngineSettings, got int"),
        ({"name": "threads", "n_workers": 0}, "n_workers must be None or an integer"),
        ({"name": "threads", "n_workers": True}, "n_workers must be None or an integer"),
        ({"name": "threads", "in_flight": 1.5}, "in_flight must be None or an integer"),
        ({"name": "local", "n_workers": 2}, "use 'threads'"),
        ({"name": "spark", "staging": "hdfs://x/y"}, "staging must be the path of a folder"),
        ({"name": "spark", "staging": 3}, "staging must be the path of a folder"),
        ({"name": "threads", "scheduler": "tcp://x"}, "scheduler is for 'dask' and 'spark'"),
        ({"name": "dask", "scheduler": "tcp://x", "n_workers": 2}, "workers started here"),
    ],
)
def test_wrong_descriptions_are_refused(description: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_engine(description)


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("dask", "dask"),
        ("dask", "distributed"),
        ("spark", "pyspark"),
    ],
)
def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, name: str, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"needs {package}: pip install hsieve\[{name}\]"):
        make_engine(name)


@needs.pyspark
def test_missing_java_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark, "_running_context", lambda: None)
    monkeypatch.setattr(spark.shutil, "which", lambda name: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(EngineError, match="Java runtime, 17 or newer"), make_engine("spark"):
        pass


def test_importing_hsieve_imports_no_engine() -> None:
    code = (
        "import sys, hsieve, hsieve.parallel\n"
        "found = {'dask', 'distributed', 'pyspark'} & set(sys.modules)\n"
        "assert not found, found\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
