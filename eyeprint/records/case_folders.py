"""Names of people's folders inside a data root."""

from __future__ import annotations

from urllib.parse import quote

from eyeprint.randomness import stable_digest

LONGEST = 120


def person_folder(person_id: str) -> str:
    """Return a folder's name that no other id has, where capitals are told apart.

    >>> person_folder("a-00012"), person_folder("../x"), person_folder("Ä B")
    ('a-00012', '%2E.%2Fx', '%C3%84 B')
    """
    name = quote(person_id, safe=" ", errors="surrogatepass")
    if name.startswith("."):
        name = "%2E" + name[1:]
    # Names that end in a space or a dot are cut by some systems.
    if name.endswith((" ", ".")):
        name = name[:-1] + ("%20" if name.endswith(" ") else "%2E")
    if len(name) > LONGEST or name.startswith(" "):
        name = f"{name.strip()[:LONGEST]}-{stable_digest(person_id).hex()[:12]}"
    return name
