"""What a model sees of a catalog that is too large."""

from tests.support.tools import tools_named
from toolserver.catalog import Tool
from toolserver.meta_tools import META_TOOLS
from toolserver.selection import Selection, choose, estimated_tokens, offer


def names(tools: tuple[Tool, ...]) -> list[str]:
    return [tool.name for tool in tools]


TOOLS = [
    *tools_named("listPets", "getPet", listPets={"tags": ["Pets"]}, getPet={"tags": ["Pets"]}),
    *tools_named("listOrders", "payOrder", server="shop", payOrder={"tags": ["money"]}),
]


def test_nothing_chosen_means_everything() -> None:
    """A new user has made no choice and expects all tools."""
    assert list(choose(TOOLS, Selection())) == TOOLS


def test_tools_are_chosen_by_server_tag_and_name() -> None:
    """Each narrows the choice, and the catalog's order stays."""
    assert names(choose(TOOLS, Selection(servers=frozenset({"shop"})))) == ["listOrders", "payOrder"]
    assert names(choose(TOOLS, Selection(tags=frozenset({"pets", "money"})))) == [
        "listPets",
        "getPet",
        "payOrder",
    ]
    assert names(choose(TOOLS, Selection(names=("list*",)))) == ["listPets", "listOrders"]
    both = Selection(servers=frozenset({"shop"}), names=("list*",))
    assert names(choose(TOOLS, both)) == ["listOrders"]


def test_pinned_tools_are_chosen_whatever_else_is() -> None:
    """Whoever pins a tool wants it there."""
    selection = Selection(servers=frozenset({"shop"}), names=("list*",), pinned=frozenset({"getPet"}))
    assert names(choose(TOOLS, selection)) == ["getPet", "listOrders"]


def test_tools_that_fit_are_all_shown_without_meta_tools() -> None:
    """A tool that is there need not be searched for."""
    made = offer(TOOLS, Selection(limit=4))
    assert (names(made.tools), made.meta_tools, made.left_out) == (names(tuple(TOOLS)), (), 0)


def test_beyond_the_limit_the_pinned_ones_and_the_meta_tools_are_shown() -> None:
    """Models refuse requests with more than 128 tools (DESIGN §13 (13))."""
    made = offer(TOOLS, Selection(limit=3, pinned=frozenset({"payOrder"})))
    assert made.tools == ()
    assert made.meta_tools == META_TOOLS
    many = tools_named(*(f"op{number}" for number in range(200)))
    made = offer(many, Selection(pinned=frozenset({"op7", "op3"})))
    assert names(made.tools) == ["op3", "op7"]
    assert (made.left_out, made.reachable) == (198, tuple(many))


def test_a_limit_holds_for_pinned_tools_and_meta_tools_together() -> None:
    """Three places are the meta-tools'."""
    many = tools_named(*(f"op{number}" for number in range(10)))
    made = offer(many, Selection(limit=5, pinned=frozenset(tool.name for tool in many)))
    assert len(made.tools) + len(made.meta_tools) == 5


def test_a_token_budget_counts_like_a_limit() -> None:
    """805 tools of one server took 207,000 tokens of every request."""
    asked: list[str] = []

    def tokens_of(tool: Tool) -> int:
        asked.append(tool.name)
        return 100

    assert offer(TOOLS, Selection(max_tokens=400), tokens_of=tokens_of).meta_tools == ()
    asked.clear()
    pinned = frozenset({"getPet", "payOrder"})
    made = offer(TOOLS, Selection(max_tokens=150, pinned=pinned), tokens_of=tokens_of)
    assert names(made.tools) == ["getPet"]
    assert len(asked) == 4
    assert offer(TOOLS, Selection(max_tokens=1)).left_out == 0


def test_tokens_are_estimated_from_what_is_sent() -> None:
    """Four characters a token, as usual for English and JSON."""
    (tool,) = tools_named("abcd")
    assert estimated_tokens(tool, b"x" * 27) == (4 + len(tool.operation.description) + 27) // 4 + 1
