"""HDF5 files that take their values from other files.

A link can name any file of the machine, a data set can be kept in others or be put together from
them, and whoever reads them follows without a word. A file that was sent by somebody would so be
filled with what it has not, such as values of a private file at a path that was guessed.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

from hsieve.data.tables.errors import listed, quoted, table_error

__all__ = ["refuse_outside"]


def refuse_outside(path: Path, file: Any) -> None:
    """Refuse a file in which anything leads out of it, whether or not it would be read.

    Only what the file says of links and data sets is looked at, so that no other file is opened.

    Parameters
    ----------
    path : Path
        The file, for messages.
    file : h5py.File
        The same, opened.
    """
    h5py = import_module("h5py")

    def of_link(name: bytes, about: Any) -> str | None:
        # Links within the file lead out by way of others only, and these are all looked at.
        if about.type in (h5py.h5l.TYPE_HARD, h5py.h5l.TYPE_SOFT):
            return None
        called = name.decode(errors="replace")
        link = file.get(name, getlink=True)
        return f"{quoted(called)} is a link to {quoted(link.filename)}, another file"

    def of_object(name: str, found: Any) -> str | None:
        if not isinstance(found, h5py.Dataset):
            return None
        if found.is_virtual:  # one that is made of itself would end the process
            sources = {source.file_name for source in found.virtual_sources()}
            return f"{quoted(name)} is a virtual data set made of {listed(sorted(sources))}"
        if found.external:
            kept = listed([str(outside) for outside, _, _ in found.external])
            return f"{quoted(name)} is a data set whose values are kept in {kept}"
        # How older files name categories; what no link leads to is not looked at here.
        categories = found.attrs.get("categories")
        if isinstance(categories, h5py.Reference) and file[categories].name is None:
            return f"categories of {quoted(name)} are in a data set without a name"
        return None

    problem = file.id.links.visit(of_link, info=True) or file.visititems(of_object)
    if problem:
        advice = "accepted is what is stored in the file itself, under a name"
        raise table_error(path, f"{problem}; {advice}, so copy the values into it")
