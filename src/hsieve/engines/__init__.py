"""Where one function is run over many pieces of data: here, in threads, on Dask or on Spark."""

from hsieve.engines.base import Engine, EngineError, Traffic
from hsieve.engines.settings import EngineSettings, make_engine

__all__ = ["Engine", "EngineError", "EngineSettings", "Traffic", "make_engine"]
