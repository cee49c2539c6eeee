"""Errors and exit codes of the entry points.

0: done. 2: a mistake that the user can repair, explained in one sentence. 128 + number: stopped by a signal (129
SIGHUP, 130 Ctrl-C, 143 SIGTERM).
"""

import argparse
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

from nmt import streams
from nmt.errors import UserError
from nmt.interrupt import Stopping
from nmt.launch import Launch


def run(main: Callable[[], None], results_on_disk: bool = False) -> None:
    """Call `main`, print errors without tracebacks and exit with the right code.

    Args:
        main: The command.
        results_on_disk: It does not end when nobody reads its stdout; see `streams.set_up`.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends the process without a traceback
    try:
        streams.set_up(results_on_disk)
        main()
        sys.stdout.flush()
    except UserError as error:
        fail(str(error))
    except ModuleNotFoundError as error:
        if (error.name or "nmt").partition(".")[0] == "nmt":
            raise
        extra = "serve" if error.name in ("starlette", "uvicorn", "python_multipart", "h11") else "train"
        fail(f"This needs the package {error.name}, which is not installed: `pip install '.[{extra}]'` installs all.")
    except Stopping as stop:
        sys.exit(stop.exit_code)
    except OSError as error:  # a full disk, a missing permission
        place = error.filename2 or error.filename or "The system"  # of a copy or a rename, the destination
        fail(f"{place}: {error.strerror or error}; make room, change permissions or choose another place.")
    finally:
        with suppress(OSError, SystemExit):  # else an error here would change the exit code
            sys.stdout.flush()


def positive(text: str) -> int:
    """A whole number from 1 up, for argparse."""
    value = int(text)
    if not 1 <= value < 2**31:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and {2**31 - 1}")
    return value


def fail(message: str) -> None:
    """Print an error in one line on stderr and exit with code 2."""
    rank = Launch.from_environment().rank
    speaker = f"rank {rank}: " if rank else ""
    print(f"{speaker}error: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(2)
