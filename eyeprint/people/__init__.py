"""Who they are: building people, importing them, checking them.

``build`` writes folders of synthetic people (offline, or by a chat model through
``chat_build``); the tables they are composed from lie in ``data``.
"""
