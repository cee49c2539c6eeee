"""Exceptions that end a run without a traceback."""


class UserError(ValueError):
    """Something a user can cause and repair.

    The message is one sentence that names the file, the line or the setting, and says what to do. Entry
    points print it without a traceback and exit with code 2; every other exception is a bug of ours.
    """


class RunFailed(Exception):
    """One run of a sweep has failed and printed its error; the others go on."""
