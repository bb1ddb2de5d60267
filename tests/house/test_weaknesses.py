"""Weaknesses that sources show: what was sent becomes code, secrets that can be guessed, broken ciphers."""

import ast
import re
from collections.abc import Iterator
from typing import cast

from tests.house.source import SEES_SYNTAX, files, refuse, run_node, text_of, tree_of

OURS = ("bridge/", "toolserver/", "plugins/open_webui/source/")
NEVER_CALLED = frozenset(
    {"eval", "exec", "compile", "__import__", "system", "popen", "unsafe_load", "full_load"}
)
SHELLS = frozenset({"create_subprocess_shell", "subprocess_shell", "getoutput", "getstatusoutput"})
NEVER_IMPORTED = frozenset({"pickle", "marshal", "shelve", "dill", "telnetlib", "xml"})
SQL = frozenset({"exec_driver_sql", "execute", "executemany", "executescript", "scalar", "scalars", "text"})
MIGRATIONS = "bridge/storage/migrations/"
OF_COLUMNS = "bridge/storage/write_thread.py"
"""Its statements are put together of names of columns, which the tables have."""

GUESSABLE = {
    "bridge/models/providers/http_provider.py": "how long to wait before another attempt",
    "bridge/storage/chat/retention.py": "how long to wait before the next search for what is too old",
    "bridge/tracing/tracer.py": "ids of traces and spans, which open nothing",
    "static/base/json_text.js": "marks that numbers have while they are written; they leave no function",
    "static/connection/reconnection.js": "how long to wait before another attempt",
}
"""Who may use a generator whose numbers can be guessed, and for what."""

WEAK = re.compile(r"\b(md5|sha1|SHA1|SHA-1|ECB|CBC|DES|TripleDES|ARC4|RC4|Blowfish|PKCS1v15)\b")
"""Hashes and ciphers that are broken, or safe only with care that nobody should have to take."""

PATTERNS = frozenset(
    {"compile", "match", "search", "sub", "subn", "fullmatch", "split", "findall", "finditer"}
)

OF_PATTERNS = {
    "bridge/models/agent/demo/arguments.py": "short patterns of tools, without groups: none runs long",
    "bridge/models/stored_items/markers.py": "patterns of the modules",
    "toolserver/openapi/foreign_formats.py": "patterns of the module",
    "toolserver/schema/pattern.py": "whether an author's pattern can be compiled; it is not run",
    "toolserver/tool/selection.py": "wildcards of a user, by `fnmatch`, which escapes the rest",
    "static/base/json_text.js": "a mark of letters and digits that was made for one text",
    "static/documents/document_places.js": "names of settings, as they stand in the module",
    "static/environments/variables.js": "a pattern of the module",
    "static/markdown/syntax.js": "rules of a language, as they stand in the modules",
    "static/oauth/renewal.js": "names of parameters, as they stand in the module",
    "static/trying/code_samples.js": "a pattern of the module",
    "static/ui/markers.js": "patterns of the module",
}
"""Who makes a pattern of what is no constant, or might, and of what."""


def test_nothing_runs_or_revives_what_it_was_sent() -> None:
    """Documents, answers and messages are data, whatever is in them."""
    refuse(f"{file}: {what}" for file in files(".py", under=OURS) for what in _dangerous(file))


def test_no_sql_is_put_together_from_values() -> None:
    """Values are parameters; a name of a user could end the statement that it stands in."""
    refuse(
        f"{file}:{call.lineno}"
        for file in files(".py", under=OURS)
        if not file.startswith((MIGRATIONS, OF_COLUMNS))
        for call in _calls(file)
        if _name_of(call) in SQL and call.args and _is_put_together(call)
    )


def test_what_nobody_may_guess_comes_from_the_systems_generator() -> None:
    """Keys, tickets, codes and nonces from `random` could be computed from a few of them."""
    guessing = {file for file in files(".py", under=OURS) if "random" in set(_imported(file))}
    guessing |= {
        file for file in files(".js", under=("static/", "extension/")) if "Math.random" in text_of(file)
    }
    refuse(f"{file} uses a generator that can be guessed" for file in sorted(guessing - GUESSABLE.keys()))
    refuse(f"{file} needs no excuse" for file in sorted(GUESSABLE.keys() - guessing))


def test_no_weak_hash_or_cipher_is_used() -> None:
    """One that is there already is soon used for something that it does not protect."""
    refuse(
        f"{file} uses {found[0]}"
        for file in [*files(".py", under=OURS), *files(".js", under=("static/", "extension/"))]
        for found in WEAK.finditer(text_of(file))
    )


def test_no_value_becomes_a_part_of_a_pattern_or_of_a_template() -> None:
    """ASVS 1.2.9 and 1.3.10: it would match, or show, what nobody meant, or run for ever."""
    found = {
        file: f"line {call.lineno}"
        for file in files(".py", under=OURS)
        for call in _calls(file)
        if _is_pattern_of_values(call) or _is_template_of_values(call)
    }
    found |= {
        file: "new RegExp"
        for file in files(".js", under=("static/", "extension/"))
        if "new RegExp(" in text_of(file)
    }
    refuse(f"{file}, {place}" for file, place in found.items() if file not in OF_PATTERNS)
    refuse(f"{file} needs no excuse" for file in OF_PATTERNS if file not in found)


def _dangerous(file: str) -> Iterator[str]:
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.partition(".")[0] in NEVER_IMPORTED)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in NEVER_IMPORTED:
            yield node.module or ""
    for call in _calls(file):
        is_bare = isinstance(call.func, ast.Name)
        of_os = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "os"
        if _name_of(call) in NEVER_CALLED and (is_bare or of_os or _name_of(call).endswith("_load")):
            yield f"{_name_of(call)}() in line {call.lineno}"
        if _name_of(call) in SHELLS or any(word.arg == "shell" for word in call.keywords):
            yield f"a shell in line {call.lineno}"


def _calls(file: str) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree_of(file)) if isinstance(node, ast.Call))


def _name_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _is_constant(part: ast.expr) -> bool:
    """Whether a part of an f-string is text, or a constant of a module: those are written in capitals."""
    if not isinstance(part, ast.FormattedValue):
        return True
    return isinstance(part.value, ast.Name) and part.value.id.isupper()


def _is_put_together(call: ast.Call) -> bool:
    """Whether what a call takes as SQL may hold values; a query of SQLAlchemy's is no text."""
    is_text = _name_of(call) in ("text", "exec_driver_sql", "executescript") and _is_sqlalchemys(call)
    match call.args[0]:
        case ast.JoinedStr(values=values):
            return not all(_is_constant(value) for value in values)
        case ast.BinOp():
            return True
        case ast.Call() | ast.Attribute() | ast.Subscript():
            return is_text
        case ast.Name(id=name):
            return is_text and not name.isupper()
        case _:
            return False


def _is_sqlalchemys(call: ast.Call) -> bool:
    """Whether a call is not of a method `text` of our own."""
    return _name_of(call) != "text" or isinstance(call.func, ast.Name) or ast.unparse(call.func) == "sa.text"


def _is_pattern_of_values(call: ast.Call) -> bool:
    of_re = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) in ("re", "re2", "regex")
    return of_re and _name_of(call) in PATTERNS and bool(call.args) and not _is_fixed(call.args[0])


def _is_template_of_values(call: ast.Call) -> bool:
    """A sentence that a function was given is one of its module's own."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "format":
        return False
    return not _is_fixed(call.func.value) and ast.unparse(call.func.value) != "sentence"


def _is_fixed(text: ast.expr) -> bool:
    """Whether a text is made of constants of its module alone."""
    names = [node.id for node in ast.walk(text) if isinstance(node, ast.Name)]
    return all(name.isupper() for name in names) and not any(
        isinstance(node, ast.Call) for node in ast.walk(text)
    )


def _imported(file: str) -> Iterator[str]:
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""


KEYED_OTHERWISE = {
    ("static/appearance.js", "document.documentElement.dataset[name]"): "names of the module",
    ("static/oauth/login_steps.js", "oauth.logins[account]"): "a dictionary, as `StoredLogins` gives it",
    ("static/oauth/login_steps.js", "oauth.logins[name]"): "a dictionary, as `StoredLogins` gives it",
    ("static/oauth/renewal.js", "oauth.logins[oauth.active]"): "a dictionary, as `StoredLogins` gives it",
    ("static/documents/reference_loader.js", "this.decisions.without[url]"): "made with the rest",
}
"""What has keys that are not written in the sources, and is made neither as a dictionary nor as a Map."""


def test_no_object_with_a_prototype_is_keyed_by_what_others_name() -> None:
    """Finding S-L8: what is named `__proto__` is lost, and `constructor` is found where nothing is."""
    names = files(".js", under=("static/", "extension/"))
    shown = run_node(SEES_SYNTAX, "tests/house/keyed_objects.cjs", *names)
    found = {(file, text): line for file, line, text in cast("list[tuple[str, int, str]]", shown)}
    refuse(
        f"{file}:{line}: {text}: use a Map, `dictionaryOf` or `memberOf` of static/base/dictionary.js"
        for (file, text), line in found.items()
        if (file, text) not in KEYED_OTHERWISE
    )
    refuse(f"{file}: {text} is excused, and is not there" for file, text in KEYED_OTHERWISE.keys() - found)
