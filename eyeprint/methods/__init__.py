"""Ways to personalise: each turns (person, query, settings, models) into material to write from."""
