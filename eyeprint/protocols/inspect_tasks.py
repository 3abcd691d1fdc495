"""The three protocols as tasks of Inspect (extra ``inspect``; CHECKLIST X1).

``inspect eval eyeprint/mmpb --model openai/gpt-4o`` asks what ``eyeprint run mmpb`` asks, message
for message, and reads the replies as it does. The entry point ``eyeprint`` of the group
``inspect_ai`` names this module: importing it registers the tasks and their scorers, and our
own chats as models (``--model eyeprint/nearest``). Without inspect_ai it registers nothing.

Inspect keeps its own log, cache and retries; budget, ledger and resuming are those of
``eyeprint run``. Arguments are given with ``-T name=value``, several values with commas.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

Words = str | list[Any] | None
"""One word, several with commas, or the list that Inspect makes of them."""


def mmpb(
    data: str = "toybox",
    inject: str = "text:moderate",
    turns: int = 0,
    dialogue: str = "general",
    position: str | int = "start",
    concepts: int = 1,
    distractors: str = "random",
    prompting: str = "zero_shot",
    blind: bool = False,
    control: str = "own",
    form: str = "choice",
    category: Words = None,
    type: Words = None,
    group: Words = None,
    concept: Words = None,
    mini: bool = False,
    n: int | None = None,
    dialogues: str | None = None,
    instruction: str = "none",
    max_side: int | None = 1024,
    seed: int = 0,
) -> Any:
    """MMPB in one setting: a concept is injected, a dialogue follows, then one question each.

    Reports accuracy, its standard error clustered by concept, accuracy by type, group and
    category, and how many replies were read, refused, empty, cut or not read.

    Args:
        data: ``toybox``, ``hub``, a data root, or a Parquet file.
        inject: ``text:LEVEL``, ``image:COUNT`` or ``none``.
        turns: of dialogue before the question; dialogue: general, recognition or preference.
        position: turns before the injection: start, end or a number.
        concepts: injected, the target among them; distractors: random or same_kind.
        prompting: zero_shot, zero_shot_cot, reminder, few_shot or few_shot_cot.
        blind: black query pictures.
        control: own, none, wrong or shuffled: whose injection it is.
        form: choice (options are shown) or open.
        category, type, group, concept: only these questions; several with commas.
        mini: five drawn concepts (M26); n: so many questions, spread over the tasks.
        dialogues: a file of dialogues of your own, for the general ones.
        instruction, max_side, seed: as in ``eyeprint run mmpb``.

    Raises:
        UsageError: a value is not known. DataError: the data cannot be used.
    """
    from eyeprint.protocols.inspect_mmpb import mmpb_task

    grid = {
        "inject": inject,
        "turns": turns,
        "dialogue": dialogue,
        "position": position,
        "concepts": concepts,
        "distractors": distractors,
        "prompting": prompting,
        "blind": blind,
        "form": form,
    }
    chosen = {"categories": category, "types": type, "groups": group, "concepts": concept}
    return mmpb_task(
        data,
        grid,
        control=control,
        chosen=chosen,
        mini=mini,
        n=n,
        dialogues=dialogues,
        instruction=instruction,
        max_side=max_side,
        seed=seed,
    )


def vptt(
    people: str = "mini",
    task: str = "cultural_site",
    method: str = "vprag",
    encoder: str = "auto",
    n: int | None = None,
    seed: int = 0,
) -> Any:
    """VPTT in one task with one method: the model writes each person's prompt, which is scored.

    Reports the mean VPTT score (the task's headline) and its standard error over people.

    Args:
        people: ``mini``, or what ``eyeprint run vptt --people`` takes.
        task: an id of ``eyeprint run vptt --tasks``, or ``id=Your own query``.
        method: persona_only, brag, vprag, comb, or a plug-in's; no model writes for baseline.
        encoder: of retrieval and scores.
        n: only the first so many people; seed: as in ``eyeprint run vptt``.

    Raises:
        UsageError: a value is not known. DataError: no person could be read.
    """
    from eyeprint.protocols.inspect_vptt import vptt_task

    return vptt_task(people, task, method, encoder, n, seed)


def pipbench(
    data: str,
    method: str = "fusion",
    painter: str = "sketch",
    encoder: str = "palette",
    n: int | None = None,
    seed: int = 0,
) -> Any:
    """PIPBench with the model as the fusion's writer: its prompt is painted, the picture scored.

    Reports the mean likeness to the references (PAL-R; CLS-R with ``encoder=clip``, and so on)
    and its standard error clustered by person.

    Args:
        data: a data root, or ``hub``.
        method: ``fusion``, the method in which one request is written for each case.
        painter: paints the prompt; one that costs money is paid without a budget here.
        encoder: of the score.
        n: only the first so many cases; seed: of painters.

    Raises:
        UsageError: a value is not known. DataError: no case could be read.
    """
    from eyeprint.protocols.inspect_pipbench import pipbench_task

    return pipbench_task(data, method, painter, encoder, n, seed)


if find_spec("inspect_ai") is not None:
    from eyeprint.models.inspect_provider import register_provider
    from eyeprint.protocols.inspect_scorers import registered

    register_provider()
    mmpb, vptt, pipbench = registered(mmpb, vptt, pipbench)
