"""What a judging will do: which pairs of a run's pictures, which judges, and whose profiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eyeprint.config import Settings
from eyeprint.errors import DataError, UnknownName, UsageError, shown
from eyeprint.models.catalog import load_chat
from eyeprint.models.chat_http import HttpSettings
from eyeprint.models.kinds import Chat
from eyeprint.models.plugins import imported, plugins
from eyeprint.models.prices import Price
from eyeprint.people.aesthetic_priors import aesthetic_priors
from eyeprint.people.questionnaire import profile_text, questionnaire
from eyeprint.protocols.display import Display, Quiet
from eyeprint.protocols.pipbench_summary import RESULTS, read_rows
from eyeprint.protocols.run_digests import digest_of
from eyeprint.records.case_files import Cases
from eyeprint.records.cases import Case
from eyeprint.records.json_lines import read_json_lines
from eyeprint.records.json_text import parse_json
from eyeprint.records.profile_files import read_profiles
from eyeprint.records.profiles import AestheticPriors, Profile
from eyeprint.records.verdict_files import JUDGED
from eyeprint.scores.arena_plan import ArenaPlan, ArenaPlanSettings, plan_arena
from eyeprint.scores.judge_certificate import CertificateSettings
from eyeprint.scores.offline_judge import NAME as OFFLINE_JUDGE
from eyeprint.scores.offline_judge import OfflineJudge
from eyeprint.scores.pair_judge import ChatJudge, PairJudge, PairJudgeSettings

JUDGES = "eyeprint.judges"
"""Entry points of judges: callables that take :class:`PairJudgeSettings` and return a judge."""


class JudgingRun(Settings):
    """Everything that decides verdicts: the judging's identity."""

    results: str
    """Digest of the run's ``results.jsonl``: other pictures are another judging."""
    profiles: str
    """Digest of the profiles."""
    judges: dict[str, str]
    """Name -> fingerprint."""
    arena: ArenaPlanSettings = ArenaPlanSettings()
    judging: PairJudgeSettings = PairJudgeSettings()
    certificate: CertificateSettings = CertificateSettings()
    uncertified: bool = False
    """Whether judges that fail their certificate are asked all the same."""
    models: tuple[str, ...] = ()
    """Only these models; empty for all."""
    seed: int = 0


@dataclass
class JudgingPlan:
    """A checked judging with what it needs."""

    run: JudgingRun
    folder: Path
    """Of the PIPBench run."""
    arena: ArenaPlan
    judges: dict[str, PairJudge]
    chats: dict[str, Chat]
    """Judges that are chat models: their calls go through a ledger."""
    texts: Mapping[str, str]
    """Person -> profile text."""
    priors: Mapping[str, AestheticPriors]
    data: Cases | None
    """For references, when they are shown."""
    price: Price | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def place(self) -> Path:
        """The judging's folder within the run's."""
        return self.folder / JUDGED / self.run.fingerprint()[:12]


def plan_judging(
    folder: str | Path,
    judges: Sequence[str] = (OFFLINE_JUDGE,),
    *,
    models: Sequence[str] = (),
    profiles: str | Path | None = None,
    splits: Sequence[str] | None = None,
    share: float = 1 / 6,
    judging: PairJudgeSettings | None = None,
    certificate: CertificateSettings | None = None,
    uncertified: bool = False,
    seed: int = 0,
    price: Price | None = None,
    concurrency: int | None = None,
    asking: bool = True,
    display: Display | None = None,
) -> JudgingPlan:
    """Check a judging of a finished PIPBench run.

    Args:
        folder: the run's folder.
        judges: "offline" and names of chat models that see pictures.
        models: labels of the models to compare, or methods; all by default.
        profiles: a profiles file, when the data root had none.
        splits: whose cases take part. By default real ones where there are any (P52), else all.
        share: share of those cases that are drawn.

    Raises:
        DataError: the run is not finished, or a person of a drawn case has no profile.
        UsageError, UnknownName: a judge or model is not known, or fewer than two models.
    """
    display = display or Quiet()
    folder = Path(folder)
    cases, pictures = _pictures(folder)
    if models:
        chosen = _chosen(models, tuple(pictures))
        models = chosen
        pictures = {name: found for name, found in pictures.items() if name in chosen}
    if not splits:
        splits = ("real",) if any(case.split == "real" for case in cases) else ()
    wanted = {"share": share, "splits": tuple(splits), "seed": seed}
    drawn = plan_arena(cases, pictures, ArenaPlanSettings.checked(wanted, "what to judge"))
    if not drawn.comparisons:
        raise UsageError(
            f"No case of the {len(drawn.cases)} drawn ones has pictures of two models: there is "
            "no pair to judge. Run the command of the run again to paint what is missing, or "
            "draw more cases with --share 1."
        )
    people, digest = _profiles(folder, profiles)
    persons = {pair.person_id for pair in drawn.comparisons}
    lacking = sorted(persons - people.keys())
    if lacking:
        raise DataError(
            f"People of the drawn cases without a profile: {len(lacking)}, the first "
            f"'{shown(lacking[0])}'. A judge takes the person's part and needs theirs: name a "
            "file with --profiles, one line for each person with id and text or answers."
        )
    texts = {name: _text(people[name]) for name in sorted(persons)}
    blank = [name for name, text in texts.items() if not text.strip()]
    if blank:
        raise DataError(
            f"People of the drawn cases with an empty profile: {len(blank)}, the first "
            f"'{shown(blank[0])}': a judge could not take their part. Give each a text or answers."
        )
    settings = judging or PairJudgeSettings()
    http = HttpSettings(**({} if concurrency is None else {"at_once": concurrency}))
    made: dict[str, PairJudge] = {}
    chats: dict[str, Chat] = {}
    for name in dict.fromkeys(judge.strip() for judge in judges if judge.strip()):
        own = _judge_of_plugin(name, settings)
        if own is not None or name == OFFLINE_JUDGE:
            made[name] = own or OfflineJudge(judging=settings)
            continue
        try:
            chats[name] = load_chat(
                name, settings=http, price=price, on_wait=display.waiting, needs_key=asking
            )
        except UnknownName as error:
            known = {OFFLINE_JUDGE, *plugins(JUDGES), *error.known}
            raise UnknownName("judge", error.name, known) from error
        made[name] = ChatJudge(chats[name], settings)
    if not made:
        raise UsageError("No judge was named. Use --judge offline, or a chat model.")
    run = JudgingRun(
        results=digest_of(folder / RESULTS),
        profiles=digest,
        judges={name: judge.fingerprint for name, judge in made.items()},
        arena=drawn.settings,
        judging=settings,
        certificate=certificate or CertificateSettings(),
        uncertified=uncertified,
        models=tuple(models),
        seed=seed,
    )
    return JudgingPlan(
        run=run,
        folder=folder,
        arena=drawn,
        judges=made,
        chats=chats,
        texts=texts,
        priors={name: aesthetic_priors(people[name]) for name in persons if people[name].answers},
        data=_data(folder, cases) if settings.show_references else None,
        price=price,
        notes=[*_unmade(drawn), *_odd_answers([people[name] for name in sorted(persons)])],
    )


def _unmade(drawn: ArenaPlan) -> Iterator[str]:
    if drawn.missing:
        case, model = drawn.missing[0]
        yield (
            f"{len(drawn.missing)} pictures of the drawn cases are missing, so that their pairs "
            f"are not judged; the first: {shown(model)} of case '{shown(case)}'."
        )


def _odd_answers(people: Sequence[Profile]) -> Iterator[str]:
    """Tell of answers that no judge will hear of, for the questionnaire does not have them."""
    wrong = [
        f"profile '{shown(profile.id)}': {fault}"
        for profile in people
        for fault in questionnaire().faults_of(profile.answers, partial=True)
    ]
    if wrong:
        yield (
            f"answers that are none of the questionnaire's, and are not used: {len(wrong)}, the "
            f"first: {wrong[0]}"
        )


def _judge_of_plugin(name: str, settings: PairJudgeSettings) -> PairJudge | None:
    point = plugins(JUDGES).get(name)
    if point is None:
        return None
    judge: PairJudge = imported(point)(settings)
    return judge


def _text(profile: Profile) -> str:
    return profile.text or profile_text(profile)


def _chosen(names: Sequence[str], labels: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels that names stand for: a whole label, or a method alone.

    >>> _chosen(["fusion"], ("edit_1ref · sketch", "fusion [offline] · sketch"))
    ('fusion [offline] · sketch',)
    """
    found: dict[str, None] = {}
    for name in names:
        fitting = [
            label for label in labels if label == name or label.split(" ")[0] == name.strip()
        ]
        if not fitting:
            raise UnknownName("model in this run", name, labels)
        found.update(dict.fromkeys(fitting))
    return tuple(found)


def _pictures(folder: Path) -> tuple[list[Case], dict[str, dict[str, str]]]:
    """Return the run's cases, and model -> case -> picture."""
    # A run of VPTT has results, too, and no cases.
    if not all((folder / name).is_file() for name in (RESULTS, "summary.json", "cases.jsonl")):
        raise DataError(
            f"{folder} holds no finished PIPBench run. Make one with `eyeprint run pipbench`, or "
            "run its command again: it goes on where it stopped."
        )
    cases = []
    for _, value in read_json_lines(folder / "cases.jsonl"):
        if isinstance(value, Exception):
            raise value
        cases.append(Case.model_validate(value))
    pictures: dict[str, dict[str, str]] = {}
    for row in read_rows(folder / RESULTS):
        found = pictures.setdefault(row["model"], {})
        if row["picture"] is not None:
            found[row["case"]] = row["picture"]
    return cases, pictures


def _profiles(folder: Path, source: str | Path | None) -> tuple[dict[str, Profile], str]:
    path = Path(source) if source is not None else folder / "profiles.jsonl"
    if source is None and not path.exists():
        raise DataError(
            f"{folder} has no profiles: its data root had no profiles.jsonl. A judge takes the "
            "person's part and needs them: name a file with --profiles."
        )
    people, faults = read_profiles(path)
    if faults:
        raise faults[0]
    return {profile.id: profile for profile in people}, digest_of(path)


def _data(folder: Path, cases: Sequence[Case]) -> Cases:
    try:
        root = Path(parse_json((folder / "sources.json").read_bytes())["data"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{folder}/sources.json does not say where the references are ({error})."
        ) from error
    return Cases(cases, root)


def told(plan: JudgingPlan) -> str:
    """Return one sentence on what is about to be judged."""
    arena = plan.arena
    orders = 2 if plan.run.judging.order == "both" else 1
    calls = len(arena.comparisons) * orders * len(plan.judges)
    judges = "1 judge" if len(plan.judges) == 1 else f"{len(plan.judges)} judges"
    return (
        f"{len(arena.comparisons)} pairs of {len(arena.cases)} cases (of {arena.of_cases}), "
        f"{arena.persons} people, {judges}: {calls} verdicts; fingerprint "
        f"{plan.run.fingerprint()[:12]}"
    )
