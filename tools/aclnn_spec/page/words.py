"""The words by which pages are read: headings, columns, roles and marks, in Chinese and in English."""

from __future__ import annotations

import re

from aclnn_spec.page.text import squeeze

TOPICS = (
    ("products", r"产品支持|支持的产品|产品型号|适用产品|supportedproducts|productsupport|^products$"),
    ("example", r"示例|样例|example|sample"),
    ("prototypes", r"函数原型|接口原型|prototype"),
    ("returns", r"返回值|返回码|返回说明|returnvalue|returncode|^returns?$"),
    ("constraints", r"约束|限制|constraint|restriction"),
    ("parameters", r"参数说明|参数描述|参数列表|入参|^参数$|^parameters?$|parameterdescription"),
    ("function", r"功能|计算公式|算子描述|接口描述|^function|^description$|^formula$"),
)
"""What a heading, or a label in bold, opens; the first pattern found decides."""

COLUMNS = (
    ("name", r"^参数名|^参数$|^名称$|^参数名称$|^parameters?(name)?$|^name$"),
    ("role", r"^输入[/／、]?输出|^输入输出|^属性$|^in(?:put)?[/／]out(?:put)?$|^i[/／]o$|^direction$|^role$"),
    ("type", r"^(?:参数|c)?类型$|^(?:c)?type$"),
    ("dtype", r"数据类型|^dtype|^datatype"),
    ("format", r"数据格式|^格式|^dataformat|^format"),
    ("rank", r"维度|^shape|^rank|^dimension"),
    ("non_contiguous", r"非连续|^non-?contiguous|^dis-?conti"),
    ("usage", r"^使用说明|^使用约束|^约束|^备注|^usage|^notes?$"),
    ("description", r"^描述|^说明|^含义|^参数描述|^参数说明|^参数含义|^description|^meaning"),
    ("number", r"^错误码|^code$|^errorcode|^number$"),
    ("status", r"^返回值|^返回码|^状态码|^返回状态码|^returnvalue|^status|^returncode"),
    ("product", r"^产品|^product"),
    ("support", r"是否支持|支持情况|^supported"),
)

ROLES = (
    ("input_output", r"(?:输入|入参)[/／、和&|]?(?:计算)?(?:输出|出参)|inout|input/output|inputandoutput|in/out"),
    ("output", r"输出|出参|^output|^out$"),
    ("input", r"输入|入参|属性|^input|^in$|^attribute|^attr$|^optionalinput|^requiredinput"),
)

_YES = re.compile(r"^(?:√|✓|✔|✅|☑|是|支持|yes|supported|y)[。.]?$", re.IGNORECASE)
_NO = re.compile(r"^(?:×|✗|✘|❌|x|否|不支持|暂不支持|no|not ?supported|unsupported|n)[。.]?$", re.IGNORECASE)
_FOOTNOTE = re.compile(r"\^\{?[\w*]+\}?|[（(][^()（）]*[)）]|\[\d+\]|[①-⑩]")
_LABEL_END = re.compile(r"[：:\s]+$")


def topic_of(text: str) -> str | None:
    """What a heading opens."""
    return _first(TOPICS, squeeze(text))


def column_of(text: str) -> str | None:
    """What a column is about, by its head."""
    return _first(COLUMNS, squeeze(text))


def role_of(text: str) -> str | None:
    """The direction that a cell gives; attributes are inputs."""
    return _first(ROLES, squeeze(text))


def mark_of(text: str) -> bool | None:
    """Yes or no, where a cell says either."""
    text = _FOOTNOTE.sub("", text.strip().strip("|")).strip()
    if _YES.match(text):
        return True
    return False if _NO.match(text) else None


def label_of(text: str) -> str:
    """A label without its colon."""
    return _LABEL_END.sub("", text)


def _first(patterns: tuple[tuple[str, str], ...], text: str) -> str | None:
    return next((name for name, pattern in patterns if re.search(pattern, text)), None)
