"""A trained run as one file that needs no PyTorch: captured graph, weights and vocabularies, and an engine in numpy."""

import os

# One thread: the matrices are small, and several threads are many times slower on a busy machine. OpenBLAS reads this
# when numpy is imported; PyTorch may have an OpenBLAS of its own, which must not see it.
_THREADS = "OPENBLAS_NUM_THREADS"

if _THREADS not in os.environ:
    os.environ[_THREADS] = "1"
    import numpy  # noqa: F401

    del os.environ[_THREADS]
