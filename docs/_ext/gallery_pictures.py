"""Pictures of the gallery: displays draw into figures of their own, which pyplot does not know."""

from sphinx_gallery.scrapers import figure_rst


def scrape_displays(block, block_vars, gallery_conf):
    """Save the displays that a block of an example made; called by the gallery."""
    paths, titles = [], []
    for value in block_vars["example_globals"].values():
        figure = getattr(value, "figure_", None)
        if figure is None or not hasattr(value, "save") or hasattr(figure, "shown_in_gallery"):
            continue
        figure.shown_in_gallery = True
        if getattr(figure.canvas, "manager", None) is not None:
            continue  # on axes of pyplot, which the gallery finds by itself
        path = next(block_vars["image_path_iterator"])
        value.save(path)
        paths.append(path)
        titles.append(figure.axes[0].get_title(loc="left") or figure.axes[0].get_title())
    return figure_rst(paths, gallery_conf["src_dir"], "; ".join(titles))
