"""Arrays in, numbers out: the formulas, importing NumPy and SciPy only."""
