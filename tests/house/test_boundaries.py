"""Who may catch everything and build routes, where protocols stand, and who may import whom in the page.

Import-linter judges the Python rooms.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePosixPath

from tests.house.source import VENDORED, files, judge, reachable, refuse, scripts, text_of, tree_of

MOST_MODULES = 30

BROAD = frozenset({"Exception", "BaseException"})

ROWS = frozenset({"Route", "ApiRoute"})
BUILDERS_OF_ROWS = frozenset({"bridge/http/declared_routes.py", "bridge/app/http_application.py"})
"""The decorators, and the composition, whose own two routes have no class."""

OUT_OF_REACH = {
    # A worker has no document.
    "static/executor_worker.js": {"static/ui/dom.js", "static/ui/router.js"},
    # Building a request is pure: it runs unchanged under Node, where a table of vectors can judge it.
    "static/request/build.js": {
        "static/session/bridge_api.js",
        "static/connection/bridge_socket.js",
        "static/base/browser_store.js",
        "static/ui/dom.js",
        "static/executor/tool_runner.js",
    },
    # The log and the reader of answers are data; views show them.
    "static/executor/call_log.js": {"static/ui/dom.js", "static/session/bridge_api.js"},
    "static/executor/answer_reader.js": {"static/ui/dom.js", "static/session/bridge_api.js"},
}
"""What a module of the page must not reach, however many imports lie between."""

TABLES_OF_PYTHON = frozenset(
    [
        "is_global",
        "is_link_local",
        "is_loopback",
        "is_multicast",
        "is_private",
        "is_reserved",
        "is_site_local",
        "is_unspecified",
        "ipv4_mapped",
        "sixtofour",
        "teredo",
    ]
)
"""What `ipaddress` says of an address, by tables of its own."""

DEPTHS_OF_PYTHON = {
    "toolserver/json_types.py",  # gives the one error for it
    "toolserver/openapi/json_text.py",  # likewise; documents have their limit
    "toolserver/schema/pattern.py",  # of `re`; the linear engine refuses sooner what is nested
    "bridge/models/agent/tools/arguments.py",  # of `ast`; the tokenizer refuses sooner what is nested
    "bridge/documents/framing.py",  # the boundary of a process that a document may not take down
    "toolserver/answer/answer_query.py",  # of a parser of others; it has a limit of levels
}
"""Where `RecursionError` is caught, and why no answer depends on when Python raises it."""

FOLDERS = (
    "languages",
    "base",
    "request",
    "mcp",
    "causes",
    "executor",
    "connection",
    "companion",
    "oauth",
    "ui",
    "windowed_list",
    "markdown",
    "answers",
    "conversion",
    "session",
    "approvals",
    "documents",
    "environments",
    "edits",
    "attachments",
    "saved_requests",
    "forms",
    "trying",
)
"""Of the page, lowest first: each may import those before it. Above stand the views, one folder each, and
above them the scripts that put everything together."""

CALLABLE = re.compile(r"Callable|Listener|Observer|OriginOf|EpochOf|ResidentWork")
"""Annotations of what is called back."""

HTML_SINKS = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "createContextualFragment")


def test_only_the_listed_boundaries_catch_every_exception() -> None:
    """Caught too early, a bug looks like an answer; cleaning up and raising again is always allowed."""
    judge(
        "broad_excepts",
        {
            file: f"line {handler.lineno} catches every exception"
            for file in files(".py", under=("bridge/", "toolserver/", "examples/"))
            for handler in ast.walk(tree_of(file))
            if isinstance(handler, ast.ExceptHandler) and is_broad(handler.type) and not raises_again(handler)
        },
    )


def test_what_is_called_back_is_given_to_the_constructor() -> None:
    """Finding house-H6: what an object does must not depend on what was registered on it by then."""
    judge(
        "registrations",
        {
            f"{file}::{made.name}.{method.name}": "give it to the constructor"
            for file in files(".py", under=("bridge/",))
            for made in ast.walk(tree_of(file))
            if isinstance(made, ast.ClassDef)
            for method in made.body
            if isinstance(method, ast.FunctionDef) and registers_a_callback(method)
        },
    )


def registers_a_callback(method: ast.FunctionDef) -> bool:
    """Whether a public method keeps a callable that it is given, as `self._told = told`, or in a list."""
    called = {
        each.arg
        for each in method.args.args
        if each.annotation is not None and CALLABLE.search(ast.unparse(each.annotation))
    }
    kept = {
        node.value.id
        for node in ast.walk(method)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and is_own(node.targets[0])
    } | {
        given.id
        for node in ast.walk(method)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append"
        for given in node.args
        if isinstance(given, ast.Name)
    }
    return not method.name.startswith("_") and bool(called & kept)


def is_own(target: ast.expr) -> bool:
    """Whether it is an attribute of `self`."""
    return (
        isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
    )


def test_no_table_of_python_decides_about_addresses() -> None:
    """Each patch release has another one; what is public stands in bridge/documents/network_table.py."""
    refuse(
        f"{file}: line {node.lineno} asks for {node.attr}"
        for file in files(".py", under=("bridge/", "toolserver/"))
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Attribute) and node.attr in TABLES_OF_PYTHON
    )


def test_only_readers_of_json_know_that_python_has_a_limit_of_depth() -> None:
    """Finding house-H7: each has another one, `MAX_NESTING` is one for all."""
    refuse(
        f"{file}: line {node.lineno}"
        for file in files(".py", under=("bridge/", "toolserver/"))
        if file not in DEPTHS_OF_PYTHON
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Name) and node.id == "RecursionError"
    )


def test_only_the_socket_module_imports_socket_io() -> None:
    """One importer keeps the transport replaceable and the rest testable without it."""
    refuse(
        f"{script.file} imports socket.io"
        for script in scripts()
        if not script.file.startswith("tests/") and script.file != "static/connection/bridge_socket.js"
        if any("socket.io" in target for target in script.imports)
    )


def test_page_modules_import_each_other_without_cycles() -> None:
    """In a cycle the order of evaluation decides what is defined."""
    graph = {script.file: set(script.imports) for script in scripts()}
    cycle: list[str] = []
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle = error.args[1]
    refuse([" -> ".join(cycle)] if cycle else [])


def test_pure_modules_of_the_page_reach_neither_the_document_nor_the_network() -> None:
    """Direction matters more than distance: one import in the middle would carry the whole page along."""
    graph = {script.file: set(script.imports) for script in scripts()}
    assert OUT_OF_REACH.keys() <= graph.keys()
    refuse(
        f"{start} reaches {target}"
        for start, forbidden in OUT_OF_REACH.items()
        for target in sorted(reachable(start, graph) & forbidden)
    )


def test_the_folders_of_the_page_import_downwards_and_views_know_nothing_of_each_other() -> None:
    """A reader who knows the folder knows what may be in it; a view can be read, changed or dropped alone."""
    refuse(
        f"{script.file} imports {target}"
        for script in scripts()
        if script.file.startswith("static/")
        for target in script.imports
        if target.startswith("static/") and not target.startswith(VENDORED)
        if not may_import(folder_of(script.file), folder_of(target))
    )


def test_only_decorators_build_rows_of_the_table_of_routes() -> None:
    """Finding house-H11: a second way to add a route would repeat name and summary of its handler again."""
    refuse(
        f"{file}:{node.lineno}: declare this route with a decorator of bridge/http/declared_routes.py"
        for file in files(".py", under=("bridge/",))
        if file not in BUILDERS_OF_ROWS
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ROWS
    )


def test_no_folder_of_modules_holds_more_than_a_reader_can_look_over() -> None:
    """Of a hundred files side by side nobody finds the one to change."""
    crowded = Counter(str(PurePosixPath(file).parent) for file in files(".py", ".js") if VENDORED not in file)
    refuse(f"{folder} has {count} modules" for folder, count in crowded.items() if count > MOST_MODULES)


def test_no_protocol_describes_the_one_class_of_its_own_package() -> None:
    """Finding house-H12: who looks for what happens finds an interface, and has to search for the class."""
    members, found = members_by_class(), dict[str, str]()
    concrete = [(file, node.name) for file, node in classes() if not is_protocol(node)]
    for file, node in classes():
        wanted = members[node.name]
        if is_protocol(node) and wanted - {"__call__"}:
            made = [(where, name) for where, name in concrete if wanted <= members[name]]
            if [room_of(where) for where, _ in made] == [room_of(file)]:
                found[f"{file}::{node.name}"] = f"use {made[0][1]} itself ({made[0][0]})"
    judge("lone_protocols", found)


def folder_of(file: str) -> str:
    """The folder of the page that a module is in; "" for the scripts that pages and workers begin with."""
    folder = PurePosixPath(file).parent.name
    return "" if folder == "static" else folder


def may_import(folder: str, other: str) -> bool:
    if folder in ("", other):
        return True
    if other not in FOLDERS:
        return False
    return folder not in FOLDERS or FOLDERS.index(other) < FOLDERS.index(folder)


def test_nothing_imports_the_composition_root_of_the_page() -> None:
    """`app.js` puts the parts together; a part that needs it is not a part."""
    refuse(f"{script.file} imports app.js" for script in scripts() if "static/app.js" in script.imports)


def test_the_page_never_parses_text_as_html() -> None:
    """Names, descriptions and answers come from foreign documents; `textContent` cannot run them."""
    refuse(
        f"{file} uses {sink}"
        for file in files(".js", under=("static/",))
        for sink in HTML_SINKS
        if sink in text_of(file)
    )


def test_every_import_of_the_page_is_a_file_of_the_page() -> None:
    """In a clone a browser resolves what is written, and nothing comes from elsewhere."""
    known = {script.file for script in scripts()}
    refuse(
        f"{script.file} imports {target}"
        for script in scripts()
        if script.file.startswith("static/")
        for target in script.imports
        if target not in known and not target.startswith(VENDORED)
    )


def is_broad(caught: ast.expr | None) -> bool:
    if isinstance(caught, ast.Tuple):
        return any(is_broad(part) for part in caught.elts)
    return caught is None or (isinstance(caught, ast.Name) and caught.id in BROAD)


def raises_again(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    for file in files(".py", under=("bridge/",)):
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.ClassDef):
                yield file, node


def bases_of(node: ast.ClassDef) -> list[str]:
    return [ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases]


def is_protocol(node: ast.ClassDef) -> bool:
    return "Protocol" in bases_of(node)


def own_members(node: ast.ClassDef) -> Iterator[str]:
    """What a class has: methods, fields, and what its constructor sets."""
    for child in node.body:
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and child.name != "__init__":
            yield child.name
        elif isinstance(child, ast.AnnAssign | ast.Assign):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        elif isinstance(child, ast.FunctionDef):
            for inner in ast.walk(child):
                if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
                    yield inner.attr


@cache
def members_by_class() -> dict[str, frozenset[str]]:
    """Members of each class, those of its bases included."""
    nodes = {node.name: node for _, node in classes()}

    def members_of(name: str) -> frozenset[str]:
        if (node := nodes.get(name)) is None:
            return frozenset()
        return frozenset(own_members(node)).union(*map(members_of, bases_of(node)))

    return {name: members_of(name) for name in nodes}


def room_of(file: str) -> str:
    return file.split("/")[1]
