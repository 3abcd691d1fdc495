"""What columns and models of a PIPBench run are called, and in which order they stand."""

from __future__ import annotations

from collections.abc import Sequence

from eyeprint.records.cases import READY
from eyeprint.report.pipbench_table_views import ColumnView
from eyeprint.report.pipbench_view import FinishedPipbench, ModelView
from eyeprint.report.run_files import View

METHOD_TITLES = {
    "no_preference": "No preference",
    "dreambooth": "DreamBooth",
    "edit_1ref": "Edit (1-Ref)",
    "edit_2ref": "Edit (2-Ref)",
    "fabric": "FABRIC",
    "fusion": "Fusion",
    "vprag_refs": "VPRAG",
}
"""Names of the methods as tables print them."""

PARADIGMS = (
    "No preference",
    "Test-time tuning",
    "Joint conditioning",
    "VLM conditioning fusion",
    "Separate conditioning",
    "Retrieval (VPRAG)",
)
"""The order of the paper's Table 1; VPRAG, which is not in it, last. The place is the colour."""

READY_PARADIGM = "Pictures made elsewhere"
SPLITS = {"synthetic": "Synthetic agents", "real": "Real users"}
FIRST = ("CLS-T", "LPIPS-R", "CLS-R", "DIS-R")
"""The columns of the paper's Tables 1-3, in their order."""
FIRST_GRAY = ("CLS-TG", "LPIPS-G", "CLS-G", "DIS-G")
"""Those of its Table 7."""
MAIN = ("CLS-R", "DIS-R", "PAL-R")
"""Which column speaks first of nearness to a person's pictures; then any other encoder's."""

MEANS = {
    "CLS": "CLIP",
    "DIS": "DINOv2",
    "PAL": "the palette encoder (colour, edges, layout)",
    "LPIPS": "LPIPS",
}
SHORT = {"CLS": "CLIP", "DIS": "DINOv2", "PAL": "palette", "LPIPS": "LPIPS", "PIX": "pixels"}


class Model(View):
    """One model as the report shows it."""

    label: str
    """By which files know it."""
    title: str
    method: str
    writer: str
    painter: str
    paradigm: str
    tone: int


def models_of(run: FinishedPipbench) -> tuple[Model, ...]:
    """Return the run's models by paradigm in the paper's order, then as the run names them.

    A title leaves the painter out where all models share one. Models of the tables that the
    settings do not know come last, as they are called there.
    """
    specs = {spec.label: spec for spec in run.settings.models}
    for row in run.summary.overall.models:
        if row.model not in specs:
            specs[row.model] = ModelView(method=row.method or row.model, painter=row.painter)
    own = [spec for spec in specs.values() if not spec.method.startswith(READY)]
    painters = {spec.painter for spec in own}
    titles = {label: _title(label, spec, len(painters) > 1) for label, spec in specs.items()}
    names = list(titles.values())
    paradigms = {
        label: run.summary.paradigms.get(label) or spec.paradigm or READY_PARADIGM
        for label, spec in specs.items()
    }
    order = list(PARADIGMS) + [p for p in paradigms.values() if p not in PARADIGMS]
    found = [
        Model(
            label=label,
            title=titles[label] if names.count(titles[label]) == 1 else label,
            method=spec.method,
            writer=spec.writer,
            painter=spec.painter,
            paradigm=paradigms[label],
            tone=order.index(paradigms[label]),
        )
        for label, spec in specs.items()
    ]
    return tuple(sorted(found, key=lambda model: model.tone))


def _title(label: str, spec: ModelView, with_painter: bool) -> str:
    if not label.startswith(spec.method):
        return label
    head = METHOD_TITLES.get(spec.method, spec.method.replace("_", " "))
    if spec.writer:
        head = f"{head} [{spec.writer}]"
    return f"{head} · {spec.painter}" if with_painter and spec.painter else head


def titles_of(run: FinishedPipbench) -> dict[str, str]:
    """Return label -> title."""
    return {model.label: model.title for model in models_of(run)}


def tones_of(run: FinishedPipbench) -> dict[str, int]:
    """Return label -> colour, which is that of the paradigm."""
    return {model.label: model.tone for model in models_of(run)}


def split_title(split: str) -> str:
    """Return a split's printed name.

    >>> split_title("real"), split_title("held_out"), split_title("")
    ('Real users', 'Held out', 'All cases')
    """
    return SPLITS.get(split, split.replace("_", " ").capitalize() or "All cases")


def table_columns(columns: Sequence[ColumnView]) -> list[ColumnView]:
    """Return the columns of Tables 1-3: prompt and references in colour, the paper's first."""
    chosen = [c for c in columns if c.against in ("prompt", "references") and not c.gray]
    return _ordered(chosen, FIRST)


def gray_columns(columns: Sequence[ColumnView]) -> list[ColumnView]:
    """Return those of Table 7: prompt and references in gray (P48)."""
    chosen = [c for c in columns if c.against in ("prompt", "references") and c.gray]
    return _ordered(chosen, FIRST_GRAY)


def target_columns(columns: Sequence[ColumnView]) -> list[ColumnView]:
    """Return the columns against the target: encoders, gray ones, then pixels."""
    chosen = [c for c in columns if c.against == "target"]
    return sorted(chosen, key=lambda c: (c.prefix == "PIX", c.gray))


def _ordered(columns: list[ColumnView], first: Sequence[str]) -> list[ColumnView]:
    place = {name: i for i, name in enumerate(first)}
    return sorted(columns, key=lambda column: place.get(column.name, len(place)))


def main_column(columns: Sequence[ColumnView]) -> ColumnView | None:
    """Return the reference column that speaks first, or ``None`` when there is none."""
    found = {c.name: c for c in columns if c.against == "references" and not c.gray}
    rest = sorted(found.values(), key=lambda column: column.better != "higher")
    named = [found[name] for name in MAIN if name in found]
    return next(iter([*named, *rest]), None)


def main_prefix(prefixes: Sequence[str]) -> str | None:
    """Return the encoder whose lift speaks first, or ``None`` without any.

    >>> main_prefix(["PAL", "DIS"]), main_prefix([])
    ('DIS', None)
    """
    wanted = [name.removesuffix("-R") for name in MAIN]
    named = [prefix for prefix in wanted if prefix in prefixes]
    return next(iter([*named, *prefixes]), None)


def digits(column: ColumnView) -> int:
    """Return how many decimals a column is printed with: distances have four, as in the paper."""
    return 2 if column.unit.startswith("cosine") or column.unit == "dB" else 4


def arrow(column: ColumnView) -> str:
    """Return a column's name with the direction that is better.

    >>> arrow(ColumnView(name="LPIPS-R", prefix="LPIPS", better="lower")).split()
    ['LPIPS-R', '↓']
    """
    return f"{column.name}\u00a0{'↑' if column.better == 'higher' else '↓'}"


def meaning(column: ColumnView) -> str:
    """Say what a column measures.

    >>> meaning(ColumnView(name="SIG-R", prefix="SIG", unit="cosine × 100"))
    'Likeness to the references, by SIG: mean cosine × 100 over them. Higher is better.'
    """
    better = f"{column.better.capitalize()} is better."
    if column.prefix == "PIX":
        return f"Pixels against the target, in {column.unit}. {better}"
    what = {
        "prompt": "the short prompt",
        "references": "the references",
        "target": "the target, which no method sees",
    }[column.against]
    by = MEANS.get(column.prefix, column.prefix)
    kind = "Distance" if column.better == "lower" else "Likeness"
    join = "from" if column.better == "lower" else "to"
    unit = "" if column.better == "lower" else f" {column.unit}"
    over = f"mean{unit} over them" if column.against == "references" else unit.strip()
    return f"{kind} {join} {what}, by {by}{': ' if over else ''}{over}. {better}"
