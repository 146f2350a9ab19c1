"""What all rooms know of data: columns in blocks, kinds of values, memory, sequences, spectra."""
