"""A bar chart cell as text."""

_EIGHTHS = " ▏▎▍▌▋▊▉"


def text_bar(share: float, cells: int) -> str:
    """Draw a share between 0 and 1 as a bar of at most `cells` characters, in steps of an eighth of a character."""
    full, eighths = divmod(round(share * cells * 8), 8)
    return "█" * full + _EIGHTHS[eighths].strip()
