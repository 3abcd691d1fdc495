"""Candidates of a file of profiles, into one folder: resumable, never paid twice (P18, P33).

``DIR/candidates.jsonl`` holds one :class:`~eyeprint.records.candidates.CandidateSet` a
profile, in the file's order. The same command does the profiles that are not there yet.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from eyeprint.errors import DataError, shown
from eyeprint.models.kinds import Chat, ChatRequest, ImagePart
from eyeprint.models.loops import run_to_end
from eyeprint.models.prices import Price, input_bound, price_of
from eyeprint.people.candidate_cues import cues_of
from eyeprint.people.candidates import (
    PLAIN,
    CandidateSettings,
    tables_digest,
    write_candidates,
)
from eyeprint.people.candidates_chat import candidates_request
from eyeprint.people.chat_asking import LONGEST_FAULT, LimitedChat, Tally
from eyeprint.protocols.display import Display, Quiet
from eyeprint.records.candidates import CandidateSet, LogLine, read_candidates
from eyeprint.records.case_rows import inner_path
from eyeprint.records.profile_files import profile_line
from eyeprint.records.profiles import Profile
from eyeprint.store.dry_run import CallPlan, plan_calls
from eyeprint.store.ledger import Ledger
from eyeprint.store.run_folder import RunFolder
from eyeprint.store.work import WorkSettings, run_items

KIND = "candidates"
TABLE = "candidates"
AGAIN = LONGEST_FAULT + 4000
"""Bytes that asking again adds beside the earlier reply, at most."""


class CandidatesEnd(NamedTuple):
    """How a build of candidates ended."""

    folder: Path
    sets: int
    """Sets that are there now."""
    failures: dict[str, str]
    """Profile id -> why it has no set; the next run tries it again."""
    unmet: dict[str, int]
    """Rule -> sets that do not keep it."""
    dropped: dict[str, int]
    """Rule -> prompts that were dropped for it."""
    repaired: int
    """Sets for which prompts were asked for again."""
    prompts: int
    tally: Tally
    stopped: str | None
    reason: str

    @property
    def exit_code(self) -> int:
        """0 done; 1 finished with failures or stopped at the budget; 130 interrupted."""
        if self.stopped == "interrupted":
            return 130
        return 1 if self.failures or self.stopped else 0


class MostAsked(NamedTuple):
    """The bound when every person needs all replies and the repair."""

    calls: int
    input_tokens: int
    output_tokens: int | None
    cost_usd: float | None


def build_candidates(
    profiles: Sequence[Profile],
    out: str | Path,
    *,
    writer: str = PLAIN,
    settings: CandidateSettings | None = None,
    open_chat: Callable[[], Chat] | None = None,
    pictures: Path | None = None,
    ledger: Ledger | None = None,
    calls_at_once: int = 16,
    display: Display | None = None,
) -> CandidatesEnd:
    """Write the candidates of profiles that have none yet, and merge the file.

    Args:
        profiles: in the order of the result.
        out: the folder.
        writer: "plain", or the chat model's name; part of the folder's identity.
        settings: pipeline, seed, mix, writers.
        open_chat: makes the chat of a writer other than "plain", in the event loop that
            uses it; wrap it in a ledger.
        pictures: the folder that uploads' paths are relative to; ``None`` shows a chat
            model no picture that people gave.
        ledger: whose accounts are told in ``sessions.jsonl``.
        calls_at_once: calls under way.
        display: told of progress.

    Raises:
        FolderBusy, FolderMismatch, CannotWrite: the folder cannot be used.
        DataError: ``writer`` names a chat model and there is no ``open_chat``.
    """
    settings, display = settings or CandidateSettings(), display or Quiet()
    if writer != PLAIN and open_chat is None:
        raise DataError(f"build_candidates needs open_chat for the writer '{shown(writer)}'.")
    started = time.monotonic()
    values = _identity(profiles, writer, settings, pictures is not None)
    tally = Tally()
    with RunFolder.open(out, values, KIND) as run:
        table = run.table(TABLE)

        async def all_items() -> Any:
            chat = None
            if open_chat is not None and writer != PLAIN:
                chat = LimitedChat(open_chat(), calls_at_once)

            async def one(profile: Profile) -> CandidateSet:
                shown_pictures, faults = _exemplars(profile, pictures if chat else None)
                made = await write_candidates(
                    profile, settings, chat, exemplars=shown_pictures, tally=tally
                )
                return made.model_copy(update={"log": (*faults, *made.log)}) if faults else made

            return await run_items(
                profiles,
                one,
                table,
                key=lambda profile: profile.id,
                settings=WorkSettings(at_once=1 if chat is None else calls_at_once),
                total=len(profiles),
                on_progress=display.progress,
                spent=None if ledger is None else ledger.accounts.spent_usd,
            )

        display.stage("writing candidates", len(profiles))
        end = run_to_end(all_items())
        if ledger is not None:
            run.end_session(ledger.accounts, time.monotonic() - started)
        run.log("candidates", done=end.done, failed=end.failed, skipped=end.skipped)
        failures = {failure.key: failure.detail for failure in table.failures()}
        merged = table.merged_path
    return _end(Path(out), merged, failures, tally, end.stopped, end.reason)


def _end(
    folder: Path,
    merged: Path,
    failures: dict[str, str],
    tally: Tally,
    stopped: str | None,
    reason: str,
) -> CandidatesEnd:
    has_rows = merged.is_file() and merged.stat().st_size > 0
    sets = read_candidates(merged).sets if has_rows else ()
    unmet: dict[str, int] = {}
    dropped: dict[str, int] = {}
    for one in sets:
        for rule in sorted({line.rule for line in one.log if line.kind == "unmet"}):
            unmet[rule] = unmet.get(rule, 0) + 1
        for line in one.log:
            if line.kind == "dropped":
                dropped[line.rule] = dropped.get(line.rule, 0) + 1
    return CandidatesEnd(
        folder=folder,
        sets=len(sets),
        failures=failures,
        unmet=unmet,
        dropped=dropped,
        repaired=sum(any(line.kind == "repaired" for line in one.log) for one in sets),
        prompts=sum(len(one.prompts) for one in sets),
        tally=tally,
        stopped=stopped,
        reason=reason,
    )


def plan_candidates(
    profiles: Sequence[Profile],
    chat: Chat,
    *,
    settings: CandidateSettings | None = None,
    pictures: Path | None = None,
    ledger: Ledger | None = None,
    price: Price | None = None,
) -> tuple[CallPlan, MostAsked]:
    """Return what a build would ask if every first reply were good, and at most; asks nothing.

    The second counts all replies to the first request, each longer than the one before
    where replies are cut, and the repair. Bounds hold whatever the model says.
    """
    settings = settings or CandidateSettings()
    requests = [
        candidates_request(
            cues_of(profile, settings.pipeline, seed=settings.seed, settings=settings.cues),
            settings.mix,
            settings.chat,
            () if settings.pipeline == "profile_free" else _exemplars(profile, pictures)[0],
        )
        for profile in profiles
    ]
    prices = None if price is None else {chat.name: price}
    plans = plan_calls(((chat, request) for request in requests), ledger, prices)
    known = price or price_of(chat.name)
    return plans[0], _most(requests, settings, known)


def _most(
    requests: Sequence[ChatRequest], settings: CandidateSettings, price: Price | None
) -> MostAsked:
    asking, again = settings.chat, settings.chat.repair.max_tokens
    limit = asking.write.max_tokens
    replies = None if limit is None else [limit << i for i in range(asking.attempts)]
    firsts = [input_bound(request, price) for request in requests]
    given = asking.attempts * sum(firsts)
    given += len(requests) * (sum(r + AGAIN for r in (replies or [])[:-1]))
    given += asking.repairs * (sum(firsts) + len(requests) * ((limit or 0) + AGAIN))
    out = None
    if replies is not None and again is not None:
        out = len(requests) * (sum(replies) + asking.repairs * again)
    cost = None
    if price is not None and out is not None:
        cost = (given * price.input + out * price.output) / 1e6
    return MostAsked(len(requests) * (asking.attempts + asking.repairs), given, out, cost)


def _identity(
    profiles: Sequence[Profile], writer: str, settings: CandidateSettings, with_pictures: bool
) -> dict[str, Any]:
    state = hashlib.sha256()
    for profile in profiles:
        state.update(profile_line(profile))
    values = {
        "writer": writer,
        "profiles": state.hexdigest(),
        "people": len(profiles),
        "tables": tables_digest(),
        "settings": settings.model_dump(mode="json"),
    }
    # The offline writer sees no picture: with or without, its folder is the same.
    return values if writer == PLAIN else values | {"exemplars": with_pictures}


def _exemplars(
    profile: Profile, folder: Path | None
) -> tuple[tuple[ImagePart, ...], tuple[LogLine, ...]]:
    """Return the pictures that a person gave (Q19), and what could not be read of them."""
    if folder is None:
        return (), ()
    from eyeprint.models.pictures import image_part, open_picture

    parts, faults = [], []
    for path in profile.uploads:
        try:
            # A profile may come from anybody: what lies elsewhere is not to reach a model.
            inner = inner_path(path)
        except ValueError as error:
            told = f"upload {error}; uploads lie in the profiles' folder"
            faults.append(LogLine(kind="fault", rule="exemplar", detail=told))
            continue
        try:
            parts.append(image_part(open_picture(folder / inner)))
        except DataError as error:
            faults.append(LogLine(kind="fault", rule="exemplar", detail=str(error)))
    return tuple(parts), tuple(faults)
