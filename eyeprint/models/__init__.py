"""Every outside model enters here and nowhere else."""
