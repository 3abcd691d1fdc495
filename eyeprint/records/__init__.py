"""What the rooms exchange: frozen records, no behaviour but validity."""
