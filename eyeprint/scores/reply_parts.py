"""What of a reply is its answer part, and its plain form: no reasoning, no markup (M23, X9).

Reasoning is no answer. A block that closes is taken out; text before a lone closing tag is
reasoning; a block that does not close is reasoning to the end, unless an ``<answer>`` tag, the
one final marker that counts there, opens the answer. The plain form is what the readers read:
compatibility characters folded (full-width letters, circled ones), LaTeX, Markdown and HTML
taken off, quotation marks and dashes made alike. Each step takes time linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple

Reasoning = Literal["none", "closed", "unclosed"]

_TAGS = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|seed:think"
_OPEN = re.compile(
    rf"<({_TAGS})>|\[(think)\]|◁(think)▷|<\|(?:begin_of_thought|channel\|>(?:analysis)<\|message)\|>",
    re.IGNORECASE,
)
_CLOSE = re.compile(
    rf"</(?:{_TAGS})>|\[/think\]|◁/think▷"
    r"|<\|end_of_thought\|>|<\|channel\|>final<\|message\|>",
    re.IGNORECASE,
)
_ANSWER_TAG = re.compile(r"<(answer|final_answer|final)>", re.IGNORECASE)

_ENDS = re.compile(
    r"<\|?(?:im_end|endoftext|end|eot_id|eos|end_of_text|return|/s)\|?>|</s>"
    r"|<｜end▁of▁sentence｜>|\[/?INST\]",
    re.IGNORECASE,
)
_BOX_TAG = re.compile(r"<\|begin_of_box\|>([^<]{0,200})<\|end_of_box\|>")
_ANSWER_ELEMENT = re.compile(r"<(answer|final_answer|final)>", re.IGNORECASE)
_CONCEPT = re.compile(r"<\s*(sks)(?:_\d{1,3})?\s*>", re.IGNORECASE)
_STRUCK = re.compile(r"~~[^~\n]{1,300}~~|<(?:s|del|strike)>[^<\n]{0,300}</(?:s|del|strike)>")
_TAG = re.compile(r"</?(?:[A-Za-z][^<>\n]{1,80}|[biupqs])/?>")
_LATEX_TEXT = re.compile(
    r"\\(?:text|textbf|textit|textrm|texttt|mathrm|mathbf|mathsf|mathit|operatorname|rm|bf)"
    r"\s*\{([^{}]{0,200})\}"
)
_LATEX_BRACES = re.compile(r"\{\s?\{([^{}]{0,200})\}\s?\}")
_LATEX_BOX = re.compile(r"\\?\\(?:boxed|fbox|framebox)\s*\{([^{}]{0,400})\}")
_LATEX_BOX_BARE = re.compile(r"\\(?:boxed|fbox)\s+([A-Za-z])\b")
_LATEX_MARKS = re.compile(r"\$+|\\[()\[\],;!]|\\quad\b|\\(?=[A-Za-z_*`])(?:bf|rm)?")
_MARKDOWN = re.compile(r"\*+|`+|__+|(?m:^[ \t]*(?:#{1,6}[ \t]*|>[ \t]*|[-+•·▪●○◦‣►▶]+[ \t]+))")
_UNDERLINED = re.compile(r"(?<![A-Za-z0-9_])_([^_\n]{1,200})_(?![A-Za-z0-9_])")
_TABLE_ROW = re.compile(r"(?m:^[ \t]*\|([^\n]*)\|[ \t]*$)")
_TABLE_RULE = re.compile(r"(?m:^[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|)+[ \t:-]*$)")
_RULE = re.compile(r"(?m:^[ \t]*[-=_*~]{3,}[ \t]*$)")
_DASHED = re.compile(
    r"\b(answer|option|choice|réponse|respuesta|antwort|resposta|risposta|ответ)[ \t]*[-=]+>?"
    r"[ \t]*",
    re.IGNORECASE,
)
_ALIKE = str.maketrans(
    {
        **dict.fromkeys("’‘‛ʼ′´＇", "'"),
        **dict.fromkeys("“”„‟«»「」『』《》〈〉″＂", '"'),
        **dict.fromkeys("–—―−‒‐‑⁃─", "-"),
        **dict.fromkeys("【〖〔［", "["),
        **dict.fromkeys("】〗〕］", "]"),
        **dict.fromkeys(
            "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\ufe0e\ufe0f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
        ),
        "\r": "\n",
        "\u2028": "\n",
        "\u2029": "\n",
        "…": "...",
        "：": ":",
        **{chr(0x1F150 + at): chr(65 + at) for at in range(26)},
        **{chr(0x1F170 + at): chr(65 + at) for at in range(26)},
        **{chr(0x1F1E6 + at): chr(65 + at) for at in range(26)},
    }
)
BOXED = "boxed answer: "
"""What a box of LaTeX becomes in the plain form; one of the cues of a statement."""


class AnswerPart(NamedTuple):
    """A reply without its reasoning."""

    text: str
    reasoning: Reasoning
    """Whether there was a block, and whether it closed."""


def answer_part(text: str) -> AnswerPart:
    """Return the reply without its reasoning.

    >>> answer_part("<think>A? No.</think>B")
    AnswerPart(text='B', reasoning='closed')
    >>> answer_part("A? No. </think> B").text
    'B'
    >>> answer_part("<think>It may be A")
    AnswerPart(text='', reasoning='unclosed')
    """
    closings = list(_CLOSE.finditer(text))
    state: Reasoning = "none"
    if closings:
        # What stands before the last closing tag is reasoning, whether it was opened or not. An
        # answer before a block that opens later counts as long as nothing follows the block.
        last = closings[-1]
        opening = _OPEN.search(text)
        before = text[: opening.start()] if opening and opening.start() < last.start() else ""
        rest = text[last.end() :]
        text, state = (rest if rest.strip() or not before.strip() else before), "closed"
    opening = _OPEN.search(text)
    if opening is None:
        return AnswerPart(text.strip(), state)
    marker = _ANSWER_TAG.search(text, opening.end())
    if marker is not None:
        return AnswerPart(text[marker.start() :].strip(), "closed")
    return AnswerPart(text[: opening.start()].strip(), "unclosed")


def lowered(text: str) -> str:
    """Return a text in small letters, each character where it was.

    The patterns of the tables are written in small letters: to match them on this is twice as
    fast as to match them ignoring case.

    >>> lowered("Ja, İ")
    'ja, İ'
    """
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _cells(row: re.Match[str]) -> str:
    return " : ".join(cell.strip() for cell in row[1].split("|") if cell.strip())


def plain(text: str) -> str:
    r"""Return the plain form of a reply's answer part.

    >>> plain("**Ｃ**"), plain("$C$"), plain("Is <sks_0> here?")
    ('C', 'C', 'Is sks here?')
    >>> plain(r"\boxed{\text{C}}").strip()
    'boxed answer: C'
    """
    if text.isascii() and text.isalnum():
        return text
    if "<" in text or "[" in text:
        text = _BOX_TAG.sub(rf"\n{BOXED}\1\n", _ENDS.sub("\n", text))
    text = unicodedata.normalize("NFKC", text.translate(_ALIKE)).translate(_ALIKE)
    text = _CONCEPT.sub(" sks ", text) if "<" in text else text
    if "|" in text:
        # A row of a table is a line, its cells parts of it; any other bar parts lines.
        text = _TABLE_ROW.sub(_cells, _TABLE_RULE.sub("", text)).replace("|", "\n")
    if "\\" in text or "$" in text:
        for _ in range(3):
            text = _LATEX_BRACES.sub(r"{\1}", _LATEX_TEXT.sub(r"\1", text))
        text = _LATEX_BOX.sub(rf"\n{BOXED}\1\n", text)
        text = _LATEX_BOX_BARE.sub(rf"\n{BOXED}\1\n", text)
        text = _LATEX_MARKS.sub("", text)
    if "~" in text or "<" in text:
        text = _STRUCK.sub(" ", text)
    if "<" in text:
        text = _ANSWER_ELEMENT.sub("\nanswer: ", text)
        text = _TAG.sub("\n", text)
    text = _RULE.sub("", text)
    text = _MARKDOWN.sub("", text)
    text = _UNDERLINED.sub(r"\1", text) if "_" in text else text
    text = _DASHED.sub(r"\1: ", text) if "-" in text or "=" in text else text
    return re.sub(r"[ \t\xa0\u3000]+", " ", text).strip()
