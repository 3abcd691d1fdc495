"""Finished runs made readable: HTML, terminal, Markdown, LaTeX, CSV, JSON (CHECKLIST X15)."""
