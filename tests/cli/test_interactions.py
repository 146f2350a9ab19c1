"""`hsieve interactions`: what it prints and writes, and how it refuses."""

import csv
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hsieve import open_dataset
from hsieve.cli import console as screen
from hsieve.interactions.scan import InteractionScan
from hsieve.progress import listen
from tests.cli.files import write_csv
from tests.cli.running import assert_refused, cells_of, invoke

N_SAMPLES = 150
N_FEATURES = 8
KEYS = [
    "rank",
    "order",
    "features",
    "score",
    "strength",
    "own_shares",
    "p_value",
    "family_wise_p",
    "false_discovery_rate",
]


def scan(path, *options, target="y"):
    return invoke("interactions", path, "-t", target, *options)


def found(result):
    """The names in each line of the tables, best first."""
    cells = cells_of(result)
    return [tuple(row[1 : len(row) - 6]) for row in cells]


def stored(path, columns):
    """Write columns, the target the last of them, in the format of the path's ending."""
    *features, y = columns.values()
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    elif path.suffix == ".npz":
        np.savez(path, X=np.column_stack(features), y=y, feature_names=list(columns)[:-1])
    elif path.suffix == ".npy":
        np.save(path, np.column_stack([*features, y]))
    else:
        write_csv(path, columns)
    return path


def with_gaps(values, rows):
    """The values, with nothing in some rows."""
    gaps = set(rows)
    return ["" if row in gaps else value for row, value in enumerate(values)]


@pytest.fixture
def columns():
    """Genotypes; whether snp2 and snp5 have the rare form together decides the target."""
    rng = np.random.default_rng(0)
    snps = {f"snp{i}": rng.integers(0, 3, size=N_SAMPLES) for i in range(N_FEATURES)}
    return {**snps, "y": (snps["snp2"] > 0).astype(int) ^ (snps["snp5"] > 0).astype(int)}


@pytest.fixture
def noise():
    rng = np.random.default_rng(3)
    features = {name: rng.normal(size=60) for name in "abcd"}
    return {**features, "y": rng.integers(0, 2, size=60)}


@pytest.fixture
def table(columns, tmp_path):
    return stored(tmp_path / "table.csv", columns)


@pytest.fixture
def unread(monkeypatch):
    """Fail if the file is read."""
    monkeypatch.setattr(
        "hsieve.dataset.open_dataset", lambda *_, **__: pytest.fail("the file was read")
    )


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".npz", ".npy"])
def test_true_pair_comes_first_from_every_format(columns, tmp_path, ending):
    path = stored(tmp_path / f"table{ending}", columns)
    numbered = ending == ".npy"
    result = scan(path, "--top", 3, target="-1" if numbered else "y")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    assert found(result)[0] == (("x2", "x5") if numbered else ("snp2", "snp5"))
    assert [row[0] for row in cells_of(result)] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("ending", "in_memory"),
    [(".csv", True), (".npz", True), (".parquet", False), (".npy", False)],
)
def test_features_stay_in_their_file_where_that_can_be(columns, tmp_path, ending, in_memory):
    path = stored(tmp_path / f"table{ending}", columns)
    target = "-1" if ending == ".npy" else "y"
    assert open_dataset(path, target).in_memory == in_memory


def test_cells_are_those_of_the_estimator(table, columns):
    X = np.column_stack([columns[f"snp{i}"] for i in range(N_FEATURES)])
    best = InteractionScan(n_pairs=20).fit(X, columns["y"]).pairs_[0]
    assert best.features == (2, 5)
    assert cells_of(scan(table))[0] == [
        "1",
        "snp2",
        "snp5",
        f"{best.score:.1f}",
        f"{best.strength:.3f}",
        ", ".join(f"{100 * share:.0f} %" for share in best.own_shares),
        f"{best.p_value:.2g}",
        f"{best.family_wise_p:.2g}",
        f"{best.false_discovery_rate:.2g}",
    ]


def test_line_below_tells_sizes_kind_of_target_and_time(table):
    [line] = [line for line in scan(table).stdout.splitlines() if " samples; " in line]
    assert line.startswith("28 pairs of 8 features, from 150 samples; target y (2 classes); ")
    assert line.endswith(" s")


def test_line_below_tells_the_speed_of_many_pairs(tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "many.npz", X=rng.normal(size=(40, 600)), y=np.arange(40) % 2)
    words = scan(tmp_path / "many.npz", "--permutations", 0).stdout
    [line] = [line for line in words.splitlines() if " samples; " in line]
    assert line.startswith("179,700 pairs of 600 features")
    assert line.endswith(" million pairs a second")


def test_words_tell_how_to_read_it_and_what_stands_out(table):
    words = scan(table).stdout
    assert "near 0 % for features that matter only together" in words
    assert "family-wise p: chance that any of all the pairs" in words
    assert "false discovery rate: fraction of false ones" in words
    assert "1 of the 20 pairs shown has a family-wise p below 0.05.\n" in words


def test_more_may_stand_out_than_are_shown(table):
    assert "there may be more, see --top" in scan(table, "--top", 1).stdout


def test_none_stands_out_from_chance(noise, tmp_path):
    words = scan(stored(tmp_path / "table.csv", noise)).stdout
    assert "None of the pairs stands out from chance" in words


def test_narrow_terminal_cuts_no_number(table, monkeypatch):
    wide = cells_of(scan(table, "--top", 2))
    monkeypatch.setattr(screen, "WIDTH_WITHOUT_TERMINAL", 80)
    narrow = scan(table, "--top", 2)
    assert max(map(len, narrow.stdout.splitlines())) <= 80
    assert cells_of(narrow) == wide


def test_top_larger_than_the_number_of_pairs_shows_all(table):
    pairs = found(scan(table, "--top", 1000))
    assert len(pairs) == len(set(pairs)) == N_FEATURES * (N_FEATURES - 1) // 2


def test_continuous_target(noise, tmp_path):
    noise["y"] = noise["b"] * noise["d"]
    result = scan(stored(tmp_path / "table.csv", noise))
    assert found(result)[0] == ("b", "d")
    assert "target y (numbers)" in result.stdout


def test_order_three_prints_triples_in_a_table_of_their_own(tmp_path):
    bits = np.random.default_rng(0).integers(0, 2, size=(200, 6))
    columns = {name: bits[:, i] for i, name in enumerate("abcdef")}
    path = stored(tmp_path / "table.csv", {**columns, "y": bits[:, [0, 2, 3]].sum(axis=1) % 2})
    result = scan(path, "--order", 3, "--top", 2)
    assert result.exit_code == 0, result.output
    pairs, triples = found(result)[:2], found(result)[2:]
    assert [len(names) for names in pairs] == [2, 2]
    assert triples[0] == ("a", "c", "d")
    assert len(triples) == 2
    assert "None of the pairs stands out" in result.stdout
    assert "1 of the 2 triples shown has a family-wise p below 0.05" in result.stdout


def test_two_features_have_no_triples(columns, tmp_path):
    few = {name: columns[name] for name in ("snp2", "snp5", "y")}
    result = scan(stored(tmp_path / "table.csv", few), "--order", 3)
    assert found(result) == [("snp2", "snp5")]
    assert "triples" not in result.stdout


def test_without_permutations_chance_is_left_open(table, tmp_path):
    out = tmp_path / "out.csv"
    result = scan(table, "--permutations", 0, "--top", 1, "-o", out)
    assert cells_of(result)[0][-2:] == ["-", "-"]
    assert "--permutations 20" in result.stdout
    assert "family-wise p:" not in result.stdout
    with out.open(newline="", encoding="utf-8") as file:
        [row] = csv.DictReader(file)
    assert row["family_wise_p"] == row["false_discovery_rate"] == ""
    json_out = out.with_suffix(".json")
    scan(table, "--permutations", 0, "--top", 1, "-o", json_out)
    [row] = json.loads(json_out.read_text(encoding="utf-8"))
    assert row["family_wise_p"] is None


@pytest.mark.parametrize("by", ["narrow", "relevance"])
def test_screen_looks_at_fewer_pairs_and_says_so(table, by):
    result = scan(table, "--screen", 4, "--screen-by", by)
    assert "6 of the 28 pairs of 8 features" in result.stdout
    assert len(found(result)) == 6


def test_csv_holds_a_row_for_each_interaction(table, tmp_path):
    out = tmp_path / "out.csv"
    assert scan(table, "--top", 2, "--order", 3, "-o", out).exit_code == 0
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == KEYS
    assert [(row["rank"], row["order"]) for row in rows] == [
        ("1", "2"),
        ("2", "2"),
        ("1", "3"),
        ("2", "3"),
    ]
    assert rows[0]["features"] == "snp2 x snp5"
    assert len(rows[2]["features"].split(" x ")) == 3
    assert all(0 <= float(share) <= 1 for share in rows[0]["own_shares"].split("; "))


def test_json_holds_names_and_shares_as_lists(table, tmp_path):
    out = tmp_path / "out.json"
    assert scan(table, "--top", 2, "-o", out).exit_code == 0
    best, second = json.loads(out.read_text(encoding="utf-8"))
    assert list(best) == KEYS
    assert best["features"] == ["snp2", "snp5"]
    assert len(best["own_shares"]) == 2
    assert best["family_wise_p"] < 1e-6 < second["family_wise_p"]
    assert best["score"] == pytest.approx(-np.log10(best["p_value"]))


def test_quiet_prints_names_only_and_nothing_with_out(table, tmp_path):
    assert scan(table, "--top", 1, "-q").output == "snp2\tsnp5\n"
    out = tmp_path / "out.csv"
    assert scan(table, "-q", "-o", out).output == ""
    assert out.exists()


def test_names_are_shown_as_they_are(columns, tmp_path):
    columns = {"[red]x\x07": columns.pop("snp2"), **columns}
    result = scan(stored(tmp_path / "table.csv", columns), "--top", 1)
    assert found(result) == [(r"[red]x\x07", "snp5")]


def test_options_reach_the_estimator(table, monkeypatch):
    given = {}
    real_fit = InteractionScan.fit

    def noted(self, X, y=None):
        given.update(self.get_params(), categorical=X.categorical)
        return real_fit(self, X, y)

    monkeypatch.setattr(InteractionScan, "fit", noted)
    options = ["--jobs", 1, "--random-state", 7, "--memory-limit", "1GB", "--time-limit", 0]
    assert scan(table, *options, "--permutations", 5, "--categorical", "snp1").exit_code == 0
    assert given["n_jobs"] == 1
    assert given["random_state"] == 7
    assert given["memory_limit"] == "1GB"
    assert given["time_limit"] is None
    assert given["n_permutations"] == 5
    assert given["categorical"] == (1,)
    scan(table)
    assert given["time_limit"] == 3600


def test_target_kind_and_drop_are_passed_on(table):
    result = scan(table, "--target-kind", "continuous", "--drop", "snp0")
    assert "21 pairs of 7 features" in result.stdout
    assert "(numbers)" in result.stdout


def test_category_of_text(columns, tmp_path):
    columns["snp5"] = np.array(["aa", "ab", "bb"])[columns["snp5"]]
    path = stored(tmp_path / "table.csv", columns)
    for options in ((), ("--categorical", "snp5")):
        assert found(scan(path, *options))[0] == ("snp2", "snp5")


def test_progress_is_told_in_pairs_a_second(table):
    words = []
    with listen(lambda _, what: words.append(what)):
        InteractionScan(n_pairs=5, n_permutations=5).fit(open_dataset(table, "y"))
    assert any(
        what.startswith("pairs of features, ") and what.endswith("a second") for what in words
    )


def test_crowd_is_a_warning(table, monkeypatch):
    def crowded(self, X, y=None):
        import warnings

        from hsieve.exceptions import CrowdedInteractionsWarning

        warnings.warn("More than 5 are likely.", CrowdedInteractionsWarning, stacklevel=2)
        return real_fit(self, X, y)

    real_fit = InteractionScan.fit
    monkeypatch.setattr(InteractionScan, "fit", crowded)
    result = scan(table)
    assert result.exit_code == 0
    assert result.stderr == "warning: More than 5 are likely.\n"
    assert scan(table, "-q").stderr == ""


def test_constant_column_is_a_warning_with_its_name(columns, tmp_path):
    path = stored(tmp_path / "table.csv", {"flat": [3] * N_SAMPLES, **columns})
    result = scan(path)
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: 1 constant column")
    assert "flat" in result.stderr
    assert "28 of the 36 pairs of 9 features" in result.stdout


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".npz", ".npy"])
def test_missing_genotypes_are_refused_or_a_category(columns, tmp_path, ending):
    gaps = {"snp1": [4], "snp2": [7, 9], "snp5": range(30, 40)}
    for name, rows in gaps.items():
        values = columns[name].astype(float)
        values[list(rows)] = np.nan
        columns[name] = with_gaps(columns[name], rows) if ending == ".csv" else values
    path = stored(tmp_path / f"table{ending}", columns)
    numbered = ending == ".npy"
    options = ["--target-kind", "classes"]
    target = "-1" if numbered else "y"
    first = "x1" if numbered else "snp1"
    assert_refused(
        scan(path, *options, target=target),
        f"column '{first}' has a missing value in data row 5",
        "; fill or remove them first, or use --missing impute (the median",
    )
    result = scan(path, *options, "--missing", "category", target=target)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    assert found(result)[0] == (("x2", "x5") if numbered else ("snp2", "snp5"))


def test_missing_may_be_what_tells(columns, tmp_path):
    hidden = np.flatnonzero(columns["snp0"] > 0)
    there = np.isin(np.arange(N_SAMPLES), hidden, invert=True)
    table = {
        **{name: columns[name] for name in ("snp3", "snp4", "snp6")},
        "asked": with_gaps(["yes"] * N_SAMPLES, hidden),
        "y": there.astype(int) ^ (columns["snp4"] > 0),
    }
    path = stored(tmp_path / "table.csv", table)
    result = scan(path, "--categorical", "asked", "--missing", "category")
    assert found(result)[0] == ("snp4", "asked")


def test_missing_target_is_refused_without_the_hint(columns, tmp_path):
    columns["y"] = with_gaps(columns["y"], [3])
    path = stored(tmp_path / "table.csv", columns)
    result = scan(path, "--missing", "category")
    assert_refused(result, "'y'", "missing value in data row 4")
    assert "--missing" not in scan(path).stderr


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_infinite_value_is_refused_in_any_case(columns, tmp_path, ending):
    columns["snp4"] = columns["snp4"].astype(float)
    columns["snp4"][2] = np.inf
    path = stored(tmp_path / f"table{ending}", columns)
    for options in ([], ["--missing", "category"]):
        result = scan(path, *options)
        assert_refused(result, "'snp4' has an infinite value in data row 3")
        assert "--missing" not in result.stderr


def test_one_feature_is_refused(columns, tmp_path):
    path = stored(tmp_path / "table.csv", {"snp2": columns["snp2"], "y": columns["y"]})
    assert_refused(scan(path), "table.csv", "at least two")


def test_constant_features_are_refused(tmp_path):
    flat = {name: [1] * 20 for name in "abc"}
    path = stored(tmp_path / "table.csv", {**flat, "y": [0, 1] * 10})
    assert_refused(scan(path), "table.csv", "constant")


def test_class_of_one_sample_is_refused(columns, tmp_path):
    columns["y"][0] = 9
    assert_refused(scan(stored(tmp_path / "table.csv", columns)), "only one of: 9")


def test_one_class_is_refused(columns, tmp_path):
    columns["y"][:] = 1
    assert_refused(scan(stored(tmp_path / "table.csv", columns)), "1 class")


def test_scan_that_takes_too_long_is_refused_with_settings_to_use(table):
    result = scan(table, "--time-limit", 1e-9)
    assert_refused(
        result,
        "table.csv: Looking at all 28 pairs",
        "more than time_limit=1e-09 seconds",
        "with screen=3 ",
        "with screen_by='relevance' by",
    )


def test_memory_limit_too_small_is_refused_by_name(table):
    result = scan(table, "--memory-limit", "1MB")
    assert_refused(result, "table.csv: memory_limit='1MB' is too small for 150 samples")


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--top", 0), "top"),
        (("--order", 1), "order"),
        (("--order", 4), "order"),
        (("--permutations", -1), "permutations"),
        (("--screen", 2), "screen"),
        (("--screen-by", "luck"), "luck"),
        (("--missing", "fill"), "fill"),
        (("--time-limit", -1), "time-limit"),
        (("--time-limit", "nan"), "time-limit"),
        (("--jobs", 0), "jobs"),
        (("--random-state", -1), "random-state"),
        (("--memory-limit", "lots"), "or such as '2GB'; got 'lots'"),
    ],
)
def test_options_that_make_no_sense_are_refused_before_reading(table, option, words):
    assert_refused(scan(table, *option), words)


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize(
    ("place", "word"),
    [
        ("out.txt", ".csv or .json"),
        ("absent/out.csv", "does not exist"),
        ("folder.csv", "is a folder"),
        ("table.csv", "would replace the data"),
    ],
)
def test_bad_output_is_refused_before_reading(table, tmp_path, place, word):
    (tmp_path / "folder.csv").mkdir()
    assert_refused(scan(table, "-o", tmp_path / place), word)


def test_failed_write_leaves_the_old_file(table, tmp_path, monkeypatch):
    out = tmp_path / "out.csv"
    out.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    assert_refused(scan(table, "-o", out), "No space left on device")
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "table.csv"]


@pytest.mark.parametrize(
    ("name", "word"), [("absent.csv", "no such file"), ("table.doc", "unknown ending")]
)
def test_file_that_cannot_be_read_is_refused(tmp_path, name, word):
    (tmp_path / "table.doc").write_text("a,y\n")
    assert_refused(scan(tmp_path / name), name, word)


def test_unknown_target_is_refused_with_near_matches(table):
    assert_refused(scan(table, target="snp99"), "no 'snp99'", "did you mean 'snp")


def test_bug_is_no_bad_input(table, monkeypatch):
    def break_down(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(InteractionScan, "fit", break_down)
    result = scan(table)
    assert result.exit_code == 1
    assert isinstance(result.exception, ZeroDivisionError)


def test_interrupt_writes_nothing(table, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(InteractionScan, "fit", interrupt)
    result = scan(table, "-o", tmp_path / "out.csv")
    assert result.exit_code == 130
    assert result.stderr.startswith("error: interrupted")
    assert list(tmp_path.iterdir()) == [table]
