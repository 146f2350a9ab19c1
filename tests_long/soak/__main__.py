"""`python -m tests_long.soak readings.jsonl`: rounds of work for two hours, with a look after each.

Another number of minutes is taken from the environment variable HSIEVE_SOAK_MINUTES, and the share
of one core that may be used (0 to 1) from HSIEVE_SOAK_SHARE. Readings are appended to the file, one
line each; with `--judge` a file of an earlier run is judged. Exit code: 0 for no growth, 1 for
growth, 3 if the run was too short to tell.
"""

import argparse
import json
import os
import sys
import tempfile
import time
import warnings
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import tests_long.soak.growth as watch
from tests_long.soak.work import pieces

USUAL_MINUTES = 120.0
CODES = {False: 0, True: 1, None: 3}


def soak(path: Path, minutes: float, share: float, temporary: Path) -> list[watch.Reading]:
    """Repeat rounds of work for so long, and return a reading for each."""
    readings: list[watch.Reading] = []
    end = time.monotonic() + 60 * minutes
    begun = time.process_time()
    with path.open("w", encoding="utf-8") as file:
        while time.monotonic() < end:
            n_done = n_refused = 0
            for piece in pieces(len(readings)):
                before = time.process_time()
                try:
                    piece()
                    n_done += 1
                except ValueError:
                    n_refused += 1
                time.sleep((time.process_time() - before) * (1 / share - 1))
            readings.append(watch.read(time.process_time() - begun, temporary))
            line = {**asdict(readings[-1]), "done": n_done, "refused": n_refused}
            file.write(json.dumps(line) + "\n")
            file.flush()
    return readings


def kept(path: Path) -> list[watch.Reading]:
    """Return the readings of a file."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    names = watch.Reading.__dataclass_fields__
    return [watch.Reading(**{name: line[name] for name in names}) for line in lines]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("readings", type=Path, help="file of readings")
    parser.add_argument("--judge", action="store_true", help="only judge an earlier run")
    wish = parser.parse_args()
    if wish.judge:
        readings = kept(wish.readings)
    else:
        minutes = float(os.environ.get("HSIEVE_SOAK_MINUTES", USUAL_MINUTES))
        share = float(os.environ.get("HSIEVE_SOAK_SHARE", "1"))
        warnings.simplefilter("ignore")
        with TemporaryDirectory() as folder:
            # Here and in child processes, so that what anyone leaves behind is seen.
            os.environ["TMPDIR"] = folder
            tempfile.tempdir = None
            readings = soak(wish.readings, minutes, share, Path(folder))
    verdict = watch.judge(readings)
    for sentence in (f"{len(readings)} rounds", *verdict.sentences):
        sys.stdout.write(f"{sentence}\n")
    return CODES[verdict.grows]


if __name__ == "__main__":
    sys.exit(main())
