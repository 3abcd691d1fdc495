"""The only room that knows a whole flow."""
