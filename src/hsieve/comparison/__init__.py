"""Compare selectors on folds of your own data, in runs that resume after an interruption."""
