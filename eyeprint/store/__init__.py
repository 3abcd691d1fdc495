"""What must survive a crash: ledger, run folders, work maps and stored vectors."""
