"""Processor seconds of each example of the gallery: printed, and the build fails above the limit.

Wall seconds, which the gallery reports itself, depend on what else the machine does; seconds of
the processor hardly do.
"""

import os
from pathlib import Path

LONGEST_SECONDS = 30.0

_started: dict[str, float] = {}
_seconds: dict[str, float] = {}


def processor_seconds():
    """Return seconds that this process and those it waited for have taken so far."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def note_time(gallery_conf, script, when):
    """Note the time before and after an example; called by the gallery."""
    name = Path(script).name
    if when == "before":
        _started[name] = processor_seconds()
    else:
        _seconds[name] = processor_seconds() - _started[name]


def complaint(seconds):
    """Say which examples take too long; nothing if none does."""
    slow = [f"{name} ({s:.0f} s)" for name, s in sorted(seconds.items()) if s >= LONGEST_SECONDS]
    limit = f"examples must take less than {LONGEST_SECONDS:g} s"
    return f"{limit}: {', '.join(slow)}" if slow else ""


def tell_times(app, exception):
    """Print the times of the examples that ran; refuse the build if one took too long."""
    from sphinx.errors import ExtensionError
    from sphinx.util import logging

    if exception is not None or not _seconds:
        return
    logger = logging.getLogger(__name__)
    logger.info("processor seconds of the examples that were run:")
    for name, seconds in sorted(_seconds.items(), key=lambda item: -item[1]):
        logger.info("%8.1f  %s", seconds, name)
    if complaint(_seconds):
        raise ExtensionError(complaint(_seconds))


def setup(app):
    """Have the times told at the end of a build."""
    app.connect("build-finished", tell_times)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
