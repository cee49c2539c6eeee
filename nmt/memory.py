"""Keep the memory of a long training flat on a CPU."""

import ctypes
import os
from contextlib import suppress


def limit_kernel_caches() -> None:
    """Keep few of the kernels that oneDNN builds for each shape of a matrix; call it before PyTorch is imported.

    Every batch has its own shapes, and the default is to keep the kernels of the last 1,024 in each of two caches.
    """
    os.environ.setdefault("LRU_CACHE_CAPACITY", "1")  # PyTorch's own cache, on top of oneDNN's
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "32")


def map_large_tensors() -> None:
    """Let glibc map every tensor of 4 MiB or more on its own, so that freed ones leave no holes in the heap.

    With 16 MiB, the recipe for Multi30k took 45 MiB more; with 1 MiB, a quarter more time. Without any, an update of 64
    sentences of 200 tokens took from 2.5 to 6 GiB instead of 1.4.
    """
    threshold = -3  # glibc's M_MMAP_THRESHOLD
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(threshold, 2**22)


def return_freed() -> None:
    """Give the memory of freed tensors back to the system, which glibc keeps otherwise."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)
