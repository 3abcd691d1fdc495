"""Import every module of the installed eyeprint and look for its data files.

Run outside the checkout, so that the installed package is what is found.
"""

import importlib
import pkgutil
import sys
from pathlib import Path

import eyeprint


def main() -> int:
    if (
        Path(eyeprint.__file__)
        .resolve()
        .is_relative_to(Path(__file__).resolve().parents[1] / "eyeprint")
    ):
        print("this is the checkout, not the installed package")
        return 1
    names = [module.name for module in pkgutil.walk_packages(eyeprint.__path__, "eyeprint.")]
    for name in names:
        importlib.import_module(name)
    for name in eyeprint.__all__:
        getattr(eyeprint, name)
    people = eyeprint.load_people("mini")
    vectors = eyeprint.load_encoder("static").encode(["a red door"])
    prompt = eyeprint.rewrite("A quiet corner", people[0], encoder="static").draft.prompt
    print(f"{len(names)} modules, {len(people)} people, {vectors.shape} vectors; {prompt[:60]} ...")
    return 0


if __name__ == "__main__":
    sys.exit(main())
