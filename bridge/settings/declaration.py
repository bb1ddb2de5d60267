"""How a setting is declared: its environment variable, its option, and what help and reference say of it.

A section is a model whose fields are settings. Each field has a type, a range, a default and a description;
`Names` says under which names people set it. Environment, command line, error messages and the tables of
`docs/reference/settings.md` are all derived from these declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any, ClassVar, Literal, TypeVar, cast, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from bridge.told_failure import ToldFailure

OWN_PREFIX = "TOOL_BRIDGE_"
"""How the variables of all settings begin, so that no other program's variable is taken for one."""

NO_VALUE = frozenset({"none", "null", "off", "inherit"})
"""What stands for None where a setting may be left to somebody else."""


class SettingsError(ToldFailure):
    """A value that cannot be used; the message names the variable or option, its range, and what to do."""

    status = 2


@dataclass(frozen=True, slots=True)
class Names:
    """Names of one setting, and what its type and range cannot say."""

    variable: str = ""
    """Environment variable; "" for `OWN_PREFIX` and the field's name in capitals."""
    option: str = ""
    """Option of `serve` and `demo`, such as `--port`; "" for none."""
    value: str = ""
    """Placeholder of the value in help, such as `SECONDS`."""
    alias: str = ""
    """A name without the prefix, which is read where the variable is not set; "" for none."""
    range: str = ""
    """Range in words, as the end of "must be ..."; "" to derive it from the type."""
    default: str = ""
    """Default in words; "" to derive it from the value."""
    see: str = ""
    """Link of the reference page to an explanation."""
    is_secret: bool = False
    """Whether the value must never be repeated in a message."""
    is_fixed: bool = False
    """Whether it is a constant, which only code changes: it has no variable and no option."""
    option_names_file: bool = False
    """Whether the option names a file that holds the value."""


class Section(BaseModel):
    """Base of all sections of the settings: immutable, and without unknown members."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False)

    title: ClassVar[str] = ""
    """Heading of its table on the reference page."""


AnySection = TypeVar("AnySection", bound=Section)


@dataclass(frozen=True, slots=True)
class Setting:
    """One declared setting."""

    section: str
    """Name of the section in the tree."""
    owner: type[Section]
    field: str
    names: Names
    info: FieldInfo

    @property
    def variable(self) -> str:
        """The environment variable."""
        return self.names.variable or f"{OWN_PREFIX}{self.field.upper()}"

    @property
    def full_name(self) -> str:
        """All names under which people set it, for messages: `TOOL_BRIDGE_PORT (--port)`."""
        return f"{self.variable} ({self.names.option})" if self.names.option else self.variable

    @property
    def is_list(self) -> bool:
        """Whether it has several values: options are repeated, variables hold commas."""
        return get_origin(self.info.annotation) is tuple


def list_settings(root: type[BaseModel]) -> Iterator[Setting]:
    """Return every setting of a tree, in the order of declaration."""
    for name, owner in sections_of(root).items():
        yield from settings_of_section(owner, name)


def sections_of(root: type[BaseModel]) -> Mapping[str, type[Section]]:
    """Return the sections of a tree by their names."""
    return {
        name: info.annotation
        for name, info in root.model_fields.items()
        if isinstance(info.annotation, type) and issubclass(info.annotation, Section)
    }


def settings_of_section(owner: type[Section], name: str = "") -> Iterator[Setting]:
    """Return every setting of one section, without its constants."""
    for field, info in owner.model_fields.items():
        names = next((entry for entry in info.metadata if isinstance(entry, Names)), Names())
        if not names.is_fixed:
            yield Setting(name, owner, field, names, info)


def parse_setting(setting: Setting, text: str, name: str) -> Any:
    """Return the value that a text means; `name` is what its author wrote it under.

    Raises:
        SettingsError: it means none.
    """
    try:
        section = setting.owner.model_validate({setting.field: text})
    except ValidationError as error:
        raise SettingsError(explain_error(setting, error, text, name)) from None
    return getattr(section, setting.field)


def explain_error(setting: Setting, error: ValidationError, given: object, name: str) -> str:
    """Return the first mistake as a sentence."""
    first = error.errors(include_input=False, include_url=False)[0]
    own = first["msg"].removeprefix("Value error, ") if first["type"] == "value_error" else ""
    wanted = own or f"must be {range_in_words(setting)}"
    text = ",".join(map(str, cast("tuple[object, ...]", given))) if isinstance(given, tuple) else str(given)
    shown = "" if setting.names.is_secret else f", not {text[:100]!r}"
    return f"{name} {wanted}{shown}."


def range_in_words(setting: Setting) -> str:
    """Return which values a setting has, as the end of "must be ..."."""
    if setting.names.range:
        return setting.names.range
    choices = _choices(setting.info.annotation)
    if choices:
        return f"{', '.join(choices[:-1])} or {choices[-1]}"
    kind = "a whole number" if int in _types(setting.info.annotation) else "a number"
    least, most = bounds_of(setting.info)
    if least is None:
        return "text"
    return f"{kind} of at least {least:,}" if most is None else f"{kind} from {least:,} to {most:,}"


def default_in_words(setting: Setting) -> str:
    """Return the default, as people write it."""
    return setting.names.default or value_in_words(setting.info.default)


def value_in_words(value: object) -> str:
    """Return the value of a setting, as people write it."""
    if value is None or value in ("", ()):
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(map(str, cast("tuple[object, ...]", value)))
    return f"{value:g}" if isinstance(value, float) else str(value)


def bounds_of(info: FieldInfo) -> tuple[float | None, float | None]:
    """Return the minimum and the maximum of a number, as far as it has them."""
    least = next((entry.ge for entry in info.metadata if hasattr(entry, "ge")), None)
    most = next((entry.le for entry in info.metadata if hasattr(entry, "le")), None)
    return least, most


def _types(annotation: Any) -> tuple[Any, ...]:
    return tuple(part for part in get_args(annotation) or (annotation,))


def _choices(annotation: Any) -> tuple[str, ...]:
    """Return the values of a type with few of them."""
    if annotation is bool:
        return ("true", "false")
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    parts = _types(annotation)
    if NoneType not in parts:
        return ()
    named = tuple(choice for part in parts if part is not NoneType for choice in _choices(part))
    return (*named, "none") if named else ()


def _lowered(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


def _without_none(value: object) -> object:
    return None if isinstance(value, str) and value.strip().lower() in NO_VALUE else _lowered(value)


def _separated(between: re.Pattern[str]) -> BeforeValidator:
    def split(value: object) -> object:
        if isinstance(value, str):
            return tuple(between.split(value.strip()))
        if not isinstance(value, tuple):
            return value
        texts = cast("tuple[object, ...]", value)
        return tuple(part for text in texts for part in between.split(str(text).strip()))

    return BeforeValidator(split)


Choice = BeforeValidator(_lowered)
"""Accepts a choice in capitals, too."""

OrNone = BeforeValidator(_without_none)
"""Accepts `none` and its synonyms as None."""

CommaSeparated = _separated(re.compile(r"\s*,\s*"))
"""Accepts a text with commas as several values, and several such texts: an option that was repeated."""

SpaceSeparated = _separated(re.compile(r"\s*,\s*|\s+"))
"""The same with spaces between them, too, as OAuth writes scopes."""
