"""The command line: one file per group of commands, nothing heavy at import."""
