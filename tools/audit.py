"""Known weaknesses of the locked versions, as pip-audit finds them (`make audit`).

pip-audit ends well when it could ask nobody: it calls packages it got no answer for "skipped". Here
no answer is no good answer. Ends with 1 if there are weaknesses, with 2 if something was not asked.
"""

import json
import subprocess
import sys
from pathlib import Path

__all__ = ["verdict"]


def verdict(dependencies):
    """Return what to say and the status to end with, from pip-audit's list of packages."""
    found = [
        f"{package['name']} {package['version']}: {weakness['id']}"
        + (f", mended in {', '.join(mended)}" if (mended := weakness["fix_versions"]) else "")
        for package in dependencies
        for weakness in package.get("vulns", ())
    ]
    unasked = [package["name"] for package in dependencies if "skip_reason" in package]
    n_asked = len(dependencies) - len(unasked)
    lines = [
        f"answers for {n_asked} of {len(dependencies)} packages, {len(found)} known weaknesses"
    ]
    lines += [f"  {line}" for line in found]
    if unasked or not dependencies:
        lines.append("NOT AUDITED, no answer from the service: " + (", ".join(unasked) or "all"))
    return "\n".join(lines), 1 if found else 2 if unasked or not dependencies else 0


def audit(requirements):
    """Let pip-audit look at one locked file; return its list of packages."""
    program = Path(sys.executable).with_name("pip-audit")
    options = ["--format", "json", "--disable-pip", "--require-hashes", "--progress-spinner", "off"]
    done = subprocess.run(
        [program, *options, "--requirement", requirements],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        return json.loads(done.stdout)["dependencies"]
    except json.JSONDecodeError:
        reason = (done.stderr.strip().splitlines() or ["pip-audit said nothing"])[-1]
        print(f"{requirements}: {reason}", file=sys.stderr)
        return []


def main():
    """Audit all files that are named; the worst decides."""
    statuses = []
    for requirements in sys.argv[1:]:
        words, status = verdict(audit(requirements))
        print(f"{requirements}: {words}")
        statuses.append(status)
    sys.exit(1 if 1 in statuses else max(statuses))


if __name__ == "__main__":
    main()
