"""Draws the pictures of the README and the docs into docs/pictures (`make pictures`).

The report is photographed by Chromium; without one that picture is left as it is.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd

mpl.use("Agg")
import matplotlib.pyplot as plt

import hsieve
from hsieve import BAHSIC, DependenceSelector, Pearson, kernels, nhsic
from hsieve.datasets import make_xor

FOLDER = Path(__file__).resolve().parent / "pictures"
TRUE, OTHER = "#c8442d", "#9aa5b1"


def draw_interaction():
    """Two features that say nothing alone, and what correlation and BAHSIC make of them."""
    problem = make_xor(300, 200, random_state=0)
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), width_ratios=(1, 1.3, 1.3))
    for label, colour in ((-1, "#3b6ea5"), (1, "#e0a030")):
        chosen = problem.y == label
        axes[0].scatter(*problem.X[chosen, :2].T, s=9, c=colour, label=f"y = {label:+d}")
    axes[0].set(xlabel="feature 0", ylabel="feature 1", title="Two features that matter together")
    axes[0].legend(loc="upper center", ncols=2, frameon=False, bbox_to_anchor=(0.5, -0.2))
    selectors = {
        "Correlation": DependenceSelector(Pearson(), n_features_to_select=2),
        "BAHSIC": BAHSIC(2),
    }
    for axis, (name, selector) in zip(axes[1:], selectors.items(), strict=True):
        ranking = selector.fit(problem.X, problem.y).ranking_
        colours = np.where(np.isin(np.arange(200), problem.relevant), TRUE, OTHER)
        axis.bar(np.arange(200), 201 - ranking, width=1.0, color=colours)
        for feature in problem.relevant:
            axis.bar(feature, 201 - ranking[feature], width=3.0, color=TRUE)
        places = " and ".join(str(place) for place in sorted(ranking[problem.relevant]))
        axis.set(
            title=f"{name}: true features on places {places} of 200",
            xlabel="feature",
            yticks=[1, 200],
            yticklabels=["last", "best"],
        )
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
        axis.title.set_fontsize(10)
    figure.tight_layout()
    figure.savefig(FOLDER / "interaction.png", dpi=110)


def draw_curve():
    """Draw a curve and noise, and the Gram matrices by which HSIC tells them apart."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-2, 2, size=150))
    curve = x**2 + 0.4 * rng.normal(size=150)
    figure, axes = plt.subplots(2, 3, figsize=(6.6, 4.7))
    for row, (name, y) in zip(
        axes, {"a curve": curve, "noise": rng.permutation(curve)}.items(), strict=True
    ):
        score = nhsic(x[:, None], y)
        row[0].scatter(x, y, s=9, c=TRUE if y is curve else OTHER)
        title = f"{name}:\ncorrelation {np.corrcoef(x, y)[0, 1]:.2f}, NHSIC {score:.2f}"
        row[0].set(xlabel="x", ylabel="y", title=title)
        row[0].spines[["top", "right"]].set_visible(False)
        for axis, values, of in ((row[1], x, "x"), (row[2], y, "y")):
            axis.imshow(kernels.Gaussian().gram(values[:, None] / values.std()), cmap="Blues")
            axis.set(title=f"samples that are\nalike in {of}", xticks=[], yticks=[])
            axis.set(xlabel="samples, by x", ylabel="samples, by x")
    for axis in axes.flat:
        axis.title.set_fontsize(9)
    figure.tight_layout()
    figure.savefig(FOLDER / "curve.png", dpi=110)


def photograph_report():
    """Photograph the report of the README's example."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 200)), columns=[f"gene{k}" for k in range(200)])
    X["tissue"] = rng.choice(["lung", "liver", "skin"], size=400)
    y = np.abs(X["gene3"]) + X["gene7"] * X["gene12"] + (X["tissue"] == "skin")
    y = (y + 0.3 * rng.normal(size=400)).rename("outcome")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("without Chromium, report.png stays as it is")
        return
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        hsieve.select(X, y).report().save(page)
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        size, target = "--window-size=1000,760", f"--screenshot={FOLDER / 'report.png'}"
        subprocess.run([chromium, *options, size, target, page.as_uri()], check=True)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    draw_interaction()
    draw_curve()
    photograph_report()
