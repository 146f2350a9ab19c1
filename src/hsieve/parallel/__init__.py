"""Where one function is run over many pieces of data: here, in threads, on Dask or on Spark."""

from hsieve.parallel.base import Engine, EngineError, Held, Traffic
from hsieve.parallel.settings import EngineSettings, make_engine

__all__ = ["Engine", "EngineError", "EngineSettings", "Held", "Traffic", "make_engine"]
