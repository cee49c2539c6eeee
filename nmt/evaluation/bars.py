"""Shares drawn as bars of text."""

_EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(share: float, cells: int) -> str:
    """Draw a share of one as a bar of at most so many characters, to an eighth of one."""
    full, eighths = divmod(round(share * cells * 8), 8)
    return "█" * full + _EIGHTHS[eighths].strip()
