"""The command line: reads files, calls the selectors, shows and writes what they chose."""
