"""
What do I send to a colleague?
==============================

A table as people have it, with categories and gaps: which columns tell about the
outcome, and how does one show that to somebody else?
"""

# %%
# 250 patients. Numbers, categories, and some values that were never measured. Four
# columns matter: the dose in a curve, the enzyme by a threshold, the clinic and the
# genotype as categories.

import numpy as np
import pandas as pd

from hsieve import N3LARS, FillMissing
from hsieve.report import FeaturePanelsDisplay

rng = np.random.default_rng(0)
n = 250
table = pd.DataFrame(
    {
        "dose": rng.uniform(0, 10, size=n),
        "enzyme": rng.lognormal(0, 0.6, size=n),
        "clinic": pd.Categorical(rng.choice(["north", "south", "west"], size=n)),
        "genotype": pd.Categorical(rng.choice(["AA", "Aa", "aa"], size=n)),
        "sex": pd.Categorical(rng.choice(["f", "m"], size=n)),
        **{f"marker {k}": rng.normal(size=n) for k in range(1, 41)},
    }
)
response = -(((table["dose"] - 5) / 2) ** 2) + 2.0 * (table["enzyme"] > 1)
response += (
    table["clinic"].map({"north": 0.0, "south": 1.5, "west": -1.0}).astype(float)
)
response += 1.5 * (table["genotype"] == "aa")
response = (response + 0.7 * rng.normal(size=n)).rename("response")
table.loc[rng.uniform(size=n) < 0.1, "enzyme"] = np.nan

# %%
# Categories are known by their type. Gaps are refused until one says what to do
# with them; here the median takes their place, and what was done is said in words.

filler = FillMissing().fit(table)
filled = filler.transform(table)
print(*filler.notes_, sep="\n")

selector = N3LARS(5).fit(filled, response)
print(selector.get_feature_names_out().tolist())

# %%
# Each chosen column against the outcome, in the picture that suits its kind.

display = FeaturePanelsDisplay.from_selector(selector, filled, response)

# %%
# The report is one page that needs no network: what was found, how sure that is,
# what to beware of, how to repeat it. ``report.save("page.html")`` writes it;
# ``hsieve select table.csv --target response --report page.html`` does all of this
# on the command line. In a notebook it shows itself, as it does here.

report = selector.report(filled, response, title="Response to the treatment")
report
