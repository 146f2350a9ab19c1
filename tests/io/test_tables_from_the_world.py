"""Tables as people have them: other separators, encodings and marks, packed, from Excel, piped."""

import bz2
import gzip
import io
import lzma
import subprocess
import sys
import textwrap
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from hsieve import N3LARS, open_dataset
from hsieve.data.errors import TableError
from hsieve.exceptions import IdentifierWarning
from tests.cli.running import invoke
from tests.io.reading import read_table

N = 40
RNG = np.random.default_rng(0)
DOSE = RNG.normal(size=N).round(3)
GROUP = RNG.integers(0, 2, N)
Y = (np.abs(DOSE) > 0.6).astype(int)


def text(separator=",", comma=False, header="größe{0}gruppe{0}y"):
    """A table with a number, a category and a target."""
    numbers = [str(value).replace(".", "," if comma else ".") for value in DOSE]
    rows = zip(numbers, np.array(["süd", "nord"])[GROUP], map(str, Y), strict=True)
    return "\n".join([header.format(separator), *map(separator.join, rows), ""])


def is_the_table(data):
    assert data.names == ("größe", "gruppe")
    np.testing.assert_array_equal(data.X, np.column_stack([DOSE, 1.0 - (GROUP == 1)]))
    assert data.levels == {1: ("nord", "süd")}
    assert (data.y.tolist(), data.target_kind) == (Y.tolist(), "classes")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (text(";").encode(), "separator ';'"),
        (text(";", comma=True).encode(), "separator ';', decimal commas in 'größe'"),
        (text("\t").encode(), r"separator '\t'"),
        (text("|").encode(), "separator '|'"),
        (text(";", comma=True).encode("latin-1"), "separator ';', encoding cp1252, decimal commas"),
        (text(";").encode("utf-16"), "separator ';', encoding utf-16"),
        (text(",").encode("utf-16-le"), "encoding utf-16-le"),
        (text(",").encode("utf-8-sig"), ""),
        (("sep=;\n" + text(";", comma=True)).encode(), "separator ';', decimal commas"),
    ],
    ids=["semicolons", "commas", "tabs", "bars", "latin-1", "utf-16", "no mark", "BOM", "sep="],
)
def test_what_can_be_found_out_is_and_is_told_in_one_line(tmp_path, content, told):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    data = read_table(path, target="y")
    is_the_table(data)
    of_file = [note for note in data.notes if note.startswith("Read with")]
    assert len(of_file) == bool(told)
    assert told in "".join(of_file)


def test_options_override_what_would_be_found_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(text(";", comma=True).encode("cp1250"))
    data = read_table(path, target="y", sep=";", decimal=",", encoding="cp1250")
    is_the_table(data)
    assert data.notes == ("Column 'gruppe' is text: a category of 2 levels (nord, süd).",)
    out = tmp_path / "o.json"
    told = ["--sep", ";", "--decimal", ",", "--encoding", "cp1250", "-o", out]
    result = invoke("select", path, "-t", "y", "-m", "n3lars", *told)
    assert result.exit_code == 0, result.output
    with pytest.raises(TableError, match=r"column 'größe' is text: .* among its numbers"):
        read_table(path, target="y", decimal=".")


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"sep": ";;"}, "sep must be one character, such as ';', got ';;'"),
        ({"decimal": ";"}, r"decimal must be '\.' or ',', got ';'"),
        ({"encoding": "utf-9"}, "encoding must be one that Python knows, such as 'cp1252'"),
    ],
)
def test_bad_options_are_refused(tmp_path, option, words):
    (tmp_path / "t.csv").write_text(text())
    with pytest.raises(ValueError, match=words):
        open_dataset(tmp_path / "t.csv", "y", **option)
    np.savez(tmp_path / "t.npz", X=[[1.0]], y=[1])
    with pytest.raises(ValueError, match="for delimited text"):
        open_dataset(tmp_path / "t.npz", sep=";")
    with pytest.raises(ValueError, match="for delimited text"):
        open_dataset(np.ones((4, 2)), np.arange(4), decimal=",")


def test_what_is_no_number_is_named_among_decimal_commas(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{0.1 * i:.1f};{i % 2}".replace(".", ",") for i in range(1, 30)]
    path.write_text("\n".join(["crp;y", *rows[:9], "<0,1;0", *rows[9:]]))
    with pytest.raises(TableError, match="column 'crp' is text: '<0,1' among its numbers"):
        open_dataset(path, "y")


def test_commas_that_may_be_thousands_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a,y\n"1,234",0\n"2,345",1\n')
    with pytest.raises(TableError, match="column 'a' is text: '1,234' among its numbers"):
        open_dataset(path, "y")
    assert read_table(path, target="y", decimal=",").X.ravel().tolist() == [1.234, 2.345]


@pytest.mark.parametrize("header", ["", "Unnamed: 0"])
def test_the_row_index_of_pandas_is_left_out(tmp_path, header):
    order = RNG.permutation(N)
    path = tmp_path / "t.csv"
    rows = [f"{order[i]},{DOSE[i]},{Y[i]}" for i in range(N)]
    path.write_text("\n".join([f"{header},a,y", *rows]))
    with pytest.warns(IdentifierWarning, match="'Unnamed: 0' is a row index saved by pandas"):
        data = read_table(path, target="y")
    assert data.names == ("a",)
    with pytest.warns(IdentifierWarning, match="'Unnamed: 0' is a row index"):
        assert open_dataset(pd.read_csv(path), "y").names == ("a",)


def test_marks_of_missing_values_among_numbers_are_read_as_missing(tmp_path):
    values = ["N.D." if i in (3, 9) else "-" if i == 5 else str(DOSE[i]) for i in range(N)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a,y", *(f"{v},{y}" for v, y in zip(values, Y, strict=True))]))
    data = read_table(path, target="y", missing="impute")
    assert data.notes[0] == ("Column 'a': 'N.D.' and '-' among numbers read as missing (3 values).")
    assert data.X[0, 0] == DOSE[0]
    with pytest.raises(TableError, match="a missing value in data row 4, the first of 3"):
        open_dataset(path, "y")


def with_problems():
    """Six columns, of which two cannot be used, one has gaps and one is an identifier."""
    return pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(N)],
            "visit": [f"{i % 28 + 1:02}.03.2021" for i in range(N)],
            "crp": ["<0.1" if i == 3 else str(i / 4) for i in range(N)],
            "gap": [None if i == 7 else i / 3 for i in range(N)],
            "dose": DOSE.tolist(),
            "y": Y.tolist(),
        }
    )


def complaints(door, path):
    """Return what is said of such a table."""
    frame = with_problems()
    frame.to_csv(path, index=False)
    if door == "command":
        return invoke("select", path, "-t", "y").stderr
    call = {
        "file": lambda: open_dataset(path, "y"),
        "frame": lambda: open_dataset(frame, "y"),
        "fit": lambda: N3LARS(1).fit(frame.drop(columns="y"), frame["y"]),
    }[door]
    with pytest.raises(ValueError, match="problems") as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("door", ["file", "command", "frame", "fit"])
def test_all_complaints_about_a_table_come_at_once(tmp_path, door):
    message = complaints(door, tmp_path / "t.csv")
    for part in (
        "here are 3 problems",
        "'visit' holds dates as text ('01.03.2021', ...)",
        "'crp' is text: '<0.1' among its numbers",
        "'gap' (1 of 40), has missing values",
    ):
        assert part in message, message
    options = {
        "file": "drop=['visit', 'crp'] missing='impute'",
        "command": "--drop visit --drop crp --missing impute",
    }
    assert options.get(door, "FillMissing") in message
    assert ("--" in message) == (door == "command")


def test_what_settles_all_complaints_does(tmp_path):
    with_problems().to_csv(tmp_path / "t.csv", index=False)
    options = ["--drop", "visit", "--drop", "crp", "--missing", "impute"]
    result = invoke("select", tmp_path / "t.csv", "-t", "y", "-m", "n3lars", *options)
    assert result.exit_code == 0, result.output


def zipped(content):
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("__MACOSX/x", b"")
        archive.writestr("t.csv", content)
    return found.getvalue()


def zstd(content):
    return pa.compress(content, codec="zstd", asbytes=True)


PACKERS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd,
    ".zip": zipped,
}


@pytest.mark.parametrize("ending", PACKERS)
def test_packed_text_is_read(tmp_path, ending):
    path = tmp_path / f"t.csv{ending}"
    path.write_bytes(PACKERS[ending](text(";", comma=True).encode()))
    is_the_table(read_table(path, target="y"))
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(TableError, match=r"cannot be read as text|a row"):
        read_table(path, target="y")


def test_a_zip_archive_of_several_files_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.csv.zip", "w") as archive:
        archive.writestr("a.csv", "a,y\n1,2\n")
        archive.writestr("b.csv", "a,y\n1,2\n")
    with pytest.raises(TableError, match="the archive must hold one file, and there are 2"):
        open_dataset(tmp_path / "t.csv.zip", "y")


@pytest.mark.parametrize("ending", PACKERS)
def test_a_bomb_is_refused_before_memory_grows(tmp_path, ending, monkeypatch):
    monkeypatch.setenv("HSIEVE_UNPACKED_LIMIT", "64MB")
    path = tmp_path / f"t.csv{ending}"
    path.write_bytes(PACKERS[ending](b"a,y\n" + b"1,0\n2,1\n" * (12 * 2**20)))
    code = f"""
        import resource, hsieve.dataset, pyarrow.csv
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            hsieve.open_dataset({str(path)!r}, "y")
        except ValueError as error:
            print(error)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    said, grown = run.stdout.strip().splitlines()
    assert "bytes once unpacked, and 64,000,000 are allowed" in said
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(grown) * unit < 48 * 10**6


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_text_comes_by_standard_input(packed):
    content = text(";", comma=True).encode("latin-1")
    content = PACKERS[packed](content) if packed else content
    data = open_dataset(io.BytesIO(content), "y")
    is_the_table(data)
    assert str(data.source) == "standard input"
    command = [sys.executable, "-m", "hsieve", "select", "-", "-t", "y", "-m", "n3lars", "-qk", "1"]
    run = subprocess.run(command, input=content, capture_output=True, check=True)
    assert run.stdout.decode().split() == ["größe"]
    with pytest.raises(TableError, match="standard input: there is nothing in it"):
        open_dataset(io.BytesIO(b""), "y")


@pytest.fixture
def workbook():
    pytest.importorskip("python_calamine")
    openpyxl = pytest.importorskip("openpyxl")
    return openpyxl.Workbook()


def test_excel_files_are_read(tmp_path, workbook):
    sheet = workbook.active
    sheet.title = "data"
    sheet.append(["größe", "gruppe", "visits", "crp", "y"])
    for i in range(N):
        crp = "N.D." if i == 4 else i / 8
        sheet.append([float(DOSE[i]), ["süd", "nord"][GROUP[i]], i % 7, crp, int(Y[i])])
    workbook.create_sheet("notes").append(["made by nobody"])
    path = tmp_path / "t.xlsx"
    workbook.save(path)
    data = read_table(path, target="y", drop=["visits", "crp"])
    is_the_table(data)
    assert data.notes[0] == "Sheet 'data' was read, not 'notes'."
    data = read_table(path, target="visits", missing="impute")
    assert data.target_kind == "classes"
    assert "'N.D.' among numbers read as missing (1 values)" in " ".join(data.notes)


def test_dates_in_excel_are_refused_and_damaged_files_too(tmp_path, workbook):
    sheet = workbook.active
    sheet.append(["when", "a", "y"])
    for i in range(N):
        sheet.append([pd.Timestamp(2020, 1, 1 + i % 28).to_pydatetime(), float(DOSE[i]), int(Y[i])])
    path = tmp_path / "t.xlsx"
    workbook.save(path)
    with pytest.raises(TableError, match=r"column 'when' holds dates .*drop=\['when'\]"):
        open_dataset(path, "y")
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(TableError, match="cannot be read as Excel"):
        open_dataset(path, "y")


def test_excel_without_its_reader_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    with pytest.raises(TableError, match=r"pip install hsieve\[excel\]"):
        open_dataset(tmp_path / "t.xlsx", "y")


def test_warnings_point_at_the_line_of_the_user(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"p{i},{DOSE[i]},{Y[i]}" for i in range(N)]
    path.write_text("\n".join(["id,a,y", *rows]))
    frame = pd.read_csv(path)
    for call in (
        lambda: open_dataset(path, "y"),
        lambda: open_dataset(frame, "y"),
        lambda: N3LARS(1).fit(frame.drop(columns="y"), frame["y"]),
    ):
        with pytest.warns(IdentifierWarning) as told:
            call()
        assert [one.filename for one in told] == [__file__]
