"""Settings of the documentation: `make docs` builds it into docs/_build/html, without network."""

import os
import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "_ext"))
sys.path.append(str(Path(__file__).resolve().parents[1]))

from reproduction.collection import collection_root

# An example shows real data where they are at hand.
if (data := collection_root()) is not None:
    os.environ["HSIEVE_DATA"] = str(data)

project = "hsieve"
author = "the hsieve maintainers"
project_copyright = f"{author}, BSD-3 licence"
version = release = version_of("hsieve")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "docstrings",
    "mathml",  # formulas that need no script and no network
    "example_times",  # an example that takes too long fails the build
]
exclude_patterns = ["_build", "_ext", "_templates", "**/*.inc.md"]
templates_path = ["_templates"]
nitpicky = True

# Markdown
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline", "attrs_block"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

# Reference, from docstrings
autosummary_generate = True
autodoc_typehints = "none"  # numpydoc says the types in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the template lists them
numpydoc_xref_param_type = False
numpydoc_validation_checks = set()
add_module_names = False
python_use_unqualified_type_names = True

# Gallery: a question a script
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "example_order.TeachingOrder",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "abort_on_example_error": False,
    "only_warn_on_example_error": False,
    "plot_gallery": True,
    "matplotlib_animations": False,
    "image_scrapers": ("matplotlib", "gallery_pictures.scrape_displays"),
    "reset_modules": ("matplotlib", "example_times.note_time"),
    "reset_modules_order": "both",
    "backreferences_dir": "reference/api/backreferences",
    "doc_module": ("hsieve",),
    "reference_url": {"hsieve": None},
    "nested_sections": False,
}

# Pages
html_theme = "pydata_sphinx_theme"
html_title = "hsieve"
html_static_path = ["_static"]
html_css_files = ["hsieve.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "back_to_top_button": True,
}
html_context = {"default_mode": "auto"}
html_sidebars = {"index": []}
