"""Compiled loops, where NumPy has no fast form: the only files of the package that import Numba.

Each loop is a plain function over arrays, compiled when it is first called
(:mod:`hsieve.kernels.loops.compilation`), and has a literal twin in `tests/reference`. A loop is
here because a benchmark shows that it pays; everything else is matrix products.
"""
