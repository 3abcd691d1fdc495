"""A small PIPBench data root with profiles: six people who like warm or cool pictures."""

from pathlib import Path

from eyeprint.models.pictures import png_bytes
from eyeprint.records.case_files import write_cases
from eyeprint.records.cases import Case
from eyeprint.records.profiles import Profile
from tests.methods.made_pictures import COOL, WARM, halves

PEOPLE = 4
CASES = 2


def profile(person):
    warm = person % 2 == 0
    palette = "Warm sunset tones" if warm else "Cool ocean tones"
    return Profile(
        id=str(person),
        answers={
            "Q4": "Retro" if warm else "Minimalist and functional",
            "Q12": 6 if warm else 3,
            "Q13": 2 if warm else 4,
            "Q14": 8 if warm else 3,
            "Q15": 7 if warm else 2,
            "Q18": (palette,),
        },
    )


def make_root(root, people=PEOPLE, cases=CASES, references=2, real=True, profiles=True):
    """Return the root, with ``people`` × ``cases`` cases; odd people are real users."""
    root = Path(root)
    rows = []
    for person in range(people):
        colours = WARM if person % 2 == 0 else COOL
        for n in range(references + cases):
            path = root / f"images/{person}/{n}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(png_bytes(halves(*colours, seed=100 * person + n)))
        rows += [
            Case(
                id=str(person * cases + n),
                person_id=str(person),
                split="real" if real and person >= people // 2 else "synthetic",
                prompt=("a boat by the shore", "a house on a hill", "a tree")[n % 3],
                references=tuple(f"images/{person}/{k}.png" for k in range(references)),
                target=f"images/{person}/{references + n}.png",
            )
            for n in range(cases)
        ]
    write_cases(root, rows, [profile(p) for p in range(people)] if profiles else [])
    return root


def make_outputs(folder, root_pictures, ids):
    """Write one ready picture for each id."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for n, name in enumerate(ids):
        (folder / f"{name}.png").write_bytes(png_bytes(root_pictures[n % len(root_pictures)]))
    return folder
