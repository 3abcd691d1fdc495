"""VPRAG on captioned references: images → captions → elements → prompt (P62 meets V22, V31–V37).

The references are captioned, the captions become a person known from nothing else, and
VPRAG retrieves from that person's elements what suits the request. The trace goes with
the plan.
"""

from __future__ import annotations

from eyeprint.errors import CallFailed, UsageError
from eyeprint.methods.compose import read_reply, request_for, write_plain
from eyeprint.methods.picture_setting import PictureMethodSettings, PictureModels
from eyeprint.methods.vprag import vprag
from eyeprint.records.cases import PaintPlan, PictureAsk
from eyeprint.records.work import Query

METHOD = "vprag_refs"


async def vprag_refs(
    ask: PictureAsk, settings: PictureMethodSettings, models: PictureModels
) -> PaintPlan:
    """Return the request with elements retrieved from captions of the references.

    Raises:
        UsageError: the run gave no captioner, no inverse pipeline or no text encoder.
    """
    if models.caption is None or models.person is None or models.texts is None:
        raise UsageError(
            "vprag_refs needs a captioner, a way from captions to a person, and texts."
        )
    try:
        captions = [await models.caption(picture) for picture in ask.references]
    except CallFailed as failure:
        return PaintPlan(
            case_id=ask.case_id,
            method=METHOD,
            writer=models.writer,
            prompt=None,
            fault=failure.kind,
            detail=str(failure)[:500],
        )
    person = models.person(captions)
    retrieval = settings.retrieval.model_copy(update={"word_limit": settings.word_limit})
    material = vprag(person, Query(id=ask.case_id, text=ask.prompt), retrieval, models.texts)
    if models.chat is None:
        draft = write_plain(material, person, retrieval, models.texts)
    else:
        decoding = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
        request = request_for(material, retrieval, decoding)
        if request is None:
            raise UsageError("VPRAG's material always asks for a writer.")
        reply = await models.chat.reply(request)
        draft = read_reply(material, models.writer, reply, retrieval)
        if draft.fault == "failed" and reply.failure:
            draft = draft.model_copy(update={"fault": reply.failure})
    return PaintPlan(
        case_id=ask.case_id,
        method=METHOD,
        writer=models.writer,
        prompt=draft.prompt,
        fault=draft.fault,
        detail=draft.detail,
        elements=material.elements,
        trace=material.trace,
        notes=material.trace.notes if material.trace else (),
    )
