"""Pictures of what a selector found, in the style of scikit-learn's displays.

Each is made by a class method (``from_selector`` mostly), draws on axes of one's own or makes a
figure, shows itself in a notebook and is kept by ``save``. Matplotlib is imported when it draws.
"""
