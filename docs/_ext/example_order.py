"""The order of the examples: from the first question to ask of data to the last."""

ORDER = (
    "plot_interaction.py",
    "plot_regression_path.py",
    "plot_pursuit.py",
    "plot_report.py",
    "plot_redundancy.py",
    "plot_number_of_features.py",
    "plot_stability.py",
    "plot_cross_validation.py",
    "plot_compare_methods.py",
    "plot_p_values.py",
    "plot_false_discoveries.py",
    "plot_covariates.py",
    "plot_sample_weights.py",
    "plot_feature_groups.py",
    "plot_groups.py",
    "plot_survival.py",
    "plot_gene_expression.py",
    "plot_single_cells.py",
    "plot_epistasis.py",
    "plot_frequency_bands.py",
    "plot_contributions.py",
    "plot_sequences.py",
    "plot_structured_target.py",
    "plot_large_parquet.py",
    "plot_own_measure.py",
)


class TeachingOrder:
    """Key of an example in the gallery; one that is not listed is refused."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, name):
        """Place of an example."""
        return ORDER.index(name)

    def __repr__(self):
        return "TeachingOrder()"
