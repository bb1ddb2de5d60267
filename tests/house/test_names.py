"""Names say what a thing is: words that fit everything say nothing and attract everything."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from bridge.storage.migrations import HEAD
from tests.house.source import Script, files, functions_of, judge, refuse, scripts, text_of, tree_of

VAGUE = frozenset(
    [
        "util",
        "utils",
        "helper",
        "helpers",
        "manager",
        "common",
        "misc",
        "data",
        "info",
        "process",
        "do",
        "stuff",
    ]
)
MISLEADING = frozenset({"additions", "beats", "instruments", "shelf", "via"})
PRESCRIBED = frozenset({"data_received", "do_GET", "do_POST"})
"""Methods that a library names: `asyncio.Protocol`, `BaseHTTPRequestHandler`."""

OURS = ("bridge/", "toolserver/")
MOST_ONE_WORD_NAMES = 0.12
"""Of the public functions. `close` and what commands are called need no second word."""

LIFE_OF_A_VIEW = frozenset({"start", "stop"})
"""Methods that every view of the page has (`View` in `static/types/view_types.d.ts`)."""

MOST_ONE_WORD_NAMES_OF_THE_PAGE = 0.05
"""Of its public functions but for those; `el`, `link` and other makers of elements need no second word."""

WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
REVISION = re.compile(r'^revision = "(\d{4})"$', re.MULTILINE)


def test_no_module_class_or_function_has_a_vague_name() -> None:
    """A `utils` folder held a quarter of the lines of one neighbour, its 6,523-line file among them."""
    found: dict[str, str] = {}
    for key, name in (*python_names(), *script_names()):
        vague = VAGUE & {word.lower() for word in WORD.findall(name)}
        if vague:
            found[key] = f"says only {', '.join(sorted(vague))}"
    judge("vague_names", found)


def test_no_module_has_a_name_that_misled() -> None:
    """The house report, section 5: readers guessed wrong what was in `beats`, `shelf`, `via` and `additions`.

    Texts of the page are labels; `words` is left to what takes a text apart.
    """
    parsers = {"cmd_words", "shell_words"}
    for file in files(".py", ".js", under=("bridge/", "toolserver/", "static/", "extension/")):
        stem = PurePosixPath(file).stem
        assert stem not in MISLEADING, file
        assert stem in parsers or not (file.endswith(".js") and stem.endswith("_words")), file


def python_names() -> Iterator[tuple[str, str]]:
    """Modules and what they define; test functions are sentences and may use any word."""
    for file in files(".py"):
        yield file, PurePosixPath(file).stem
        for node in ast.walk(tree_of(file)):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if not node.name.startswith("test_") and node.name not in PRESCRIBED:
                yield f"{file}::{node.name}", node.name


def script_names() -> Iterator[tuple[str, str]]:
    for script in scripts():
        yield script.file, PurePosixPath(script.file).stem
        for function in script.functions:
            yield function.key, function.name


def test_a_class_name_means_one_thing() -> None:
    """Two classes of one name are two doors with one label; a private one is seen in its own module only."""
    places: dict[str, list[str]] = {}
    for file in files(".py", under=OURS):
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(file)
    refuse(f"{name}: in {' and in '.join(found)}" for name, found in places.items() if len(found) > 1)


def test_a_class_name_of_the_page_means_one_thing() -> None:
    """The page loads its modules together; a reader finds a class by its name."""
    places: dict[str, list[str]] = {}
    for script in page_modules():
        for name in script.classes:
            places.setdefault(name, []).append(script.file)
    refuse(f"{name}: in {' and in '.join(found)}" for name, found in places.items() if len(found) > 1)


def test_most_public_functions_of_the_page_are_a_verb_and_a_noun() -> None:
    """Half of them were one word once, as in Python."""
    public = [name for script in page_modules() for name in script.public_names if name not in LIFE_OF_A_VIEW]
    bare = [name for name in public if len(WORD.findall(name)) == 1]
    assert len(bare) < MOST_ONE_WORD_NAMES_OF_THE_PAGE * len(public), sorted(set(bare))


def page_modules() -> list[Script]:
    return [script for script in scripts() if script.file.startswith("static/")]


def test_most_public_functions_are_a_verb_and_a_noun() -> None:
    """Half of them were one word once; a reader who looked for `take` found eighteen."""
    names = [name.rpartition(".")[2] for file in files(".py", under=OURS) for name, _ in functions_of(file)]
    public = [name for name in names if not name.startswith("_")]
    bare = [name for name in public if "_" not in name]
    assert len(bare) < MOST_ONE_WORD_NAMES * len(public), sorted(set(bare))


def test_a_migration_is_named_by_its_revision() -> None:
    """Finding house-H15: “revision 0020” in a text leads to a file; a database has the last one."""
    migrations = files(".py", under=("bridge/storage/migrations/versions/0",))
    revisions = {file: REVISION.search(text_of(file)) for file in migrations}
    named = {file: found[1] if found else "" for file, found in revisions.items()}
    refuse(
        f"{file} is revision {revision}"
        for file, revision in named.items()
        if not PurePosixPath(file).name.startswith(f"{revision}_")
    )
    assert max(named.values()) == HEAD


def test_a_field_that_is_replaced_exists() -> None:
    """Type checkers do not look at the keywords of `replace`; a renamed field would fail at run time only."""
    fields: set[str] = set()
    replaced: list[tuple[str, str]] = []
    for file in files(".py"):
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                fields.add(node.target.id)
            elif isinstance(node, ast.Call) and _is_replace(node.func):
                replaced += [(f"{file}:{node.lineno}", each.arg) for each in node.keywords if each.arg]
    refuse(f"{where}: no dataclass has a field {name}" for where, name in replaced if name not in fields)


def _is_replace(function: ast.expr) -> bool:
    """Whether it may be `dataclasses.replace`."""
    if isinstance(function, ast.Attribute):
        return function.attr == "replace" and isinstance(function.value, ast.Name)
    return isinstance(function, ast.Name) and function.id == "replace"
