"""Plain words: list phrases of our own making for which the field has a word.

It reads README, CONTRIBUTING, the pages of docs/ and, in the package, all docstrings, messages and
templates.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OF_ONE = r"\b(?:bytes|columns|floats|kernels|multiplications|numbers|products|seconds|values)"

# What is not said, and what to say.
WORDS = {
    r"\bwhole numbers?\b": "integer",
    r"\b(?:a|the|what) share\b|\bshares? of\b": "fraction",
    r"\bti(?:es?|ed) to data\b": "bind, fit",
    r"\bwhat repeats\b|\bcopies met on the way\b": "redundant features, near duplicates",
    r"\bwho could stand for\b|\bstand for (?:them|chosen)\b": "substitutes",
    r"\b(?:goes|went) on (?:from|where|with)\b|\b(?:is|are) taken up\b": "resumes",
    r"\bbad input gets\b": "invalid input raises",
    r"\bwild (?:ones|values)\b": "outliers",
    r"\bthere (?:is|are|has) not\b": "is not supported, does not exist",
    r"\bask(?:s|ed)? nothing of\b": "offline, self-contained",
    OF_ONE + r" an? (?:feature|sample|value|row|pair|column)\b": "per feature, per sample",
    r"\bmay die of\b": "worker process",
    r"\binto an environment of your own\b": "into an existing environment",
    r"\bfeatures it stands on\b": "the features it uses",
    r"\bnot to say how many\b": "choose the number automatically",
    r"\bstands? beside a chosen\b": "redundant features",
    r"\bget the same again\b": "stable",
    r"\bno python at hand\b": "from the command line",
    r"\bwhen to leave it\b": "when not to use it",
    r"\bknows no statistics\b": "contains no statistical code",
    r"\bno answer is no good answer\b": "an unreachable service fails",
    r"\bstands? damaged files\b": "crashes on corrupt files",
    r"\bowes? scikit-learn\b": "base class of all selectors",
    r"\banew\b": "again",
    r"\bdata as people have them\b": "say what kind of data",
    r"\b(?:is|are|was) told of\b": "is reported",
    r"\bwish(?:es|ed)\b": "wanted, requested",
    r"\bstands? beside\b": "joins, is next to",
    r"\b(?:that )?are met\b": "are found, are processed",
    r"\bnothing (?:is )?to be found\b": "no effect",
    r"\bto be had\b": "available",
    r"\b(?:paper|thesis) has it\b": "as in the paper",
    r"\bmended\b": "fixed",
    r"\bruns? in circles\b": "loops",
    r"\bslip of the pen\b": "typing error",
    r"\ball is well\b": "it works",
    r"\bis no matter\b": "does not matter",
    r"\b(?:refused|told|said) in words\b": "raises, reports",
}


def found_in(text):
    """Return (line, phrase, what to say) for each phrase that should not stand in a text."""
    return sorted(
        (text.count("\n", 0, match.start()) + 1, " ".join(match[0].split()), say)
        for phrase, say in WORDS.items()
        for match in re.finditer(phrase.replace(" ", r"\s+"), text, re.IGNORECASE)
    )


def hits_in(path):
    """Return the hits of a page, or of the strings of a module."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return found_in(text)
    return [
        (node.lineno + line - 1, phrase, say)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for line, phrase, say in found_in(node.value)
    ]


def main():
    """Print the hits; return whether there is one."""
    source = ROOT / "src"
    paths = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    paths += [*sorted(source.rglob("*.html")), *sorted(source.rglob("*.py"))]
    hits = [(path.relative_to(ROOT), *hit) for path in paths for hit in hits_in(path)]
    for path, line, phrase, say in hits:
        print(f"{path}:{line}: '{phrase}': {say}")
    return bool(hits)


if __name__ == "__main__":
    sys.exit(main())
