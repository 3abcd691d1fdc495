"""Work -> number, or "unscored" with a reason."""
