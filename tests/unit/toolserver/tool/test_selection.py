"""What a model sees of a catalog that is too large."""

from dataclasses import replace

from tests.support.documents.tools import tools_named
from toolserver.tool.catalog import Tool
from toolserver.tool.meta_tools import META_TOOLS, READ_RESULT
from toolserver.tool.selection import (
    Selection,
    choose_tools,
    estimated_tokens,
    find_candidates,
    offer_tools,
    tokens_for,
)
from toolserver.tool.selection_bounds import MIN_LIMIT, MIN_TOKENS


def names(tools: tuple[Tool, ...]) -> list[str]:
    return [tool.name for tool in tools]


TOOLS = [
    *tools_named("listPets", "getPet", listPets={"tags": ["Pets"]}, getPet={"tags": ["Pets"]}),
    *tools_named("listOrders", "payOrder", server="shop", payOrder={"tags": ["money"]}),
]


def test_nothing_chosen_means_everything() -> None:
    """A new user has made no choice and expects all tools."""
    assert list(choose_tools(TOOLS, Selection())) == TOOLS


def test_tools_are_chosen_by_server_tag_and_name() -> None:
    """Each narrows the choice, and the catalog's order stays."""
    assert names(choose_tools(TOOLS, Selection(servers=frozenset({"shop"})))) == ["listOrders", "payOrder"]
    assert names(choose_tools(TOOLS, Selection(tags=frozenset({"pets", "money"})))) == [
        "listPets",
        "getPet",
        "payOrder",
    ]
    assert names(choose_tools(TOOLS, Selection(names=("list*",)))) == ["listPets", "listOrders"]
    assert names(choose_tools(TOOLS, Selection(names=("get?et", "[lp]*Order")))) == ["getPet", "payOrder"]
    both = Selection(servers=frozenset({"shop"}), names=("list*",))
    assert names(choose_tools(TOOLS, both)) == ["listOrders"]


def test_pinned_tools_are_chosen_whatever_else_is() -> None:
    """Whoever pins a tool wants it there."""
    selection = Selection(servers=frozenset({"shop"}), names=("list*",), pinned=("getPet",))
    assert names(choose_tools(TOOLS, selection)) == ["getPet", "listOrders"]


def test_tools_that_fit_are_all_shown_with_the_one_that_reads_on() -> None:
    """A tool that is there need not be searched for; a cut answer points to `read_result`."""
    made = offer_tools(TOOLS, Selection(limit=5))
    assert (made.tools, made.meta_tools, made.left_out) == (tuple(TOOLS), (READ_RESULT,), 0)
    assert made.explain_absences(TOOLS) == {}


def test_tools_that_just_fit_leave_no_room_for_more() -> None:
    """The user's tools come first."""
    made = offer_tools(TOOLS, Selection(limit=4))
    assert (made.tools, made.meta_tools) == (tuple(TOOLS), ())


def test_an_empty_catalog_shows_nothing() -> None:
    """There is no answer to read on in."""
    assert offer_tools([], Selection()).meta_tools == ()


def test_beyond_the_limit_the_pinned_ones_and_the_meta_tools_are_shown() -> None:
    """Models refuse requests with more than 128 tools (DESIGN §13 (13))."""
    made = offer_tools(TOOLS, Selection(limit=3, pinned=("payOrder",)))
    assert made.tools == ()
    assert made.meta_tools == META_TOOLS
    many = tools_named(*(f"op{number}" for number in range(200)))
    made = offer_tools(many, Selection(pinned=("op7", "op3")))
    assert names(made.tools) == ["op3", "op7"]
    assert (made.left_out, made.reachable) == (198, tuple(many))


def test_what_nobody_has_decided_about_displaces_nothing_that_is_settled() -> None:
    """Adding one large document must not take the tools away that are used every day."""
    crowd = [*TOOLS, *tools_named(*(f"new{number}" for number in range(9)), server="crowd")]
    made = offer_tools(crowd, Selection(limit=8), is_settled=lambda tool: tool.server_id != "crowd")
    assert (made.tools, made.meta_tools, made.over) == (tuple(TOOLS), META_TOOLS, "over_limit")
    assert len(made.reachable) == len(crowd)
    pinned = Selection(limit=8, pinned=("new3",))
    with_pin = offer_tools(crowd, pinned, is_settled=lambda tool: tool.server_id != "crowd")
    assert names(with_pin.tools) == [*names(tuple(TOOLS)), "new3"]
    assert find_candidates(crowd, pinned, is_settled=lambda tool: tool.server_id != "crowd") == with_pin.tools


def test_a_server_whose_settled_tools_do_not_all_fit_is_searched() -> None:
    """A part of them would be a choice that no user made."""
    more = [*TOOLS, *tools_named("closePet", "sellPet")]
    made = offer_tools(more, Selection(limit=5, pinned=("getPet",)), is_settled=lambda _: True)
    assert (names(made.tools), made.listed) == (["getPet"], ())
    everything = offer_tools(
        TOOLS, Selection(limit=8, max_tokens=1000), tokens_of=lambda _: 400, is_settled=lambda _: True
    )
    assert (everything.tools, everything.over) == ((), "over_tokens")


def test_what_nobody_has_decided_about_costs_no_settled_tool_its_place() -> None:
    """The tools that search it would: they reach nothing that runs."""
    made = offer_tools(
        [*TOOLS, *tools_named("new")], Selection(limit=4), is_settled=lambda tool: tool.name != "new"
    )
    assert (made.tools, made.meta_tools, made.over) == (tuple(TOOLS), (), "over_limit")


def test_pinned_tools_that_are_too_many_are_shown_in_their_order_and_counted() -> None:
    """Ruling 50: their user hears that some have no place, and can put the important ones first."""
    many = tools_named(*(f"op{number}" for number in range(10)))
    made = offer_tools(many, Selection(limit=5, pinned=("op9", "op1", "op5")))
    assert (names(made.tools), made.pins_left) == (["op1", "op9"], 1)
    crowd = [*TOOLS, *many]
    tight = offer_tools(crowd, Selection(limit=6, pinned=("op9", "op1", "op5", "op2")))
    assert (names(tight.tools), tight.pins_left) == (["op1", "op5", "op9"], 1)


def test_a_limit_holds_for_pinned_tools_and_meta_tools_together() -> None:
    """Three places are the meta-tools'."""
    many = tools_named(*(f"op{number}" for number in range(10)))
    made = offer_tools(many, Selection(limit=5, pinned=tuple(tool.name for tool in many)))
    assert len(made.tools) + len(made.meta_tools) == 5


def test_what_is_not_shown_says_why() -> None:
    """A user who misses a tool must see which setting keeps it back."""
    selection = Selection(servers=frozenset({"shop"}), pinned=("getPet",), limit=3)
    assert offer_tools(TOOLS, replace(selection, limit=4)).explain_absences(TOOLS) == {
        "listPets": "not_selected"
    }
    many = [*TOOLS, *tools_named("sendOrder", server="shop")]
    assert offer_tools(many, selection).explain_absences(many[:3]) == {
        "listPets": "not_selected",
        "getPet": "over_limit",
        "listOrders": "over_limit",
    }
    tight = offer_tools(TOOLS, Selection(max_tokens=1_000), tokens_of=lambda _: 500)
    assert set(tight.explain_absences(TOOLS).values()) == {"over_tokens"}


def test_a_token_budget_counts_like_a_limit() -> None:
    """805 tools of one server took 207,000 tokens of every request."""
    asked: list[str] = []

    def tokens_of(tool: Tool) -> int:
        asked.append(tool.name)
        return 1_000

    made = offer_tools(TOOLS, Selection(max_tokens=4_000), tokens_of=tokens_of)
    assert (made.tools, made.meta_tools) == (tuple(TOOLS), ())
    asked.clear()
    pinned = ("getPet", "payOrder")
    selection = Selection(max_tokens=2_200, pinned=pinned)
    made = offer_tools(TOOLS, selection, tokens_of=tokens_of)
    assert (names(made.tools), made.meta_tools) == (["getPet"], META_TOOLS)
    assert set(asked) <= {tool.name for tool in find_candidates(TOOLS, selection)}
    assert offer_tools(TOOLS, Selection(max_tokens=1)).left_out == 0


def test_the_least_budget_holds_the_bridges_own_tools() -> None:
    """Else a budget could be set that nothing keeps."""
    taken = sum(estimated_tokens(meta.name, meta.description, meta.schema_json) for meta in META_TOOLS)
    assert taken < MIN_TOKENS
    assert len(META_TOOLS) <= MIN_LIMIT


def test_only_what_may_be_shown_is_worth_a_schema() -> None:
    """Of a thousand operations that are too many anyway, only the pinned ones count."""
    many = tools_named(*(f"op{number}" for number in range(10)))
    selection = Selection(limit=9, pinned=("op1",))
    assert names(find_candidates(many, selection)) == ["op1"]
    assert names(find_candidates(many[:9], selection)) == names(tuple(many[:9]))


def test_tokens_of_a_reader_of_keywords_leave_out_words_that_repeat_them() -> None:
    """It is not sent them."""
    own = READ_RESULT
    fewer = tokens_for("keywords", own.name, own.description, own.schema_json)
    assert fewer < tokens_for("words", own.name, own.description, own.schema_json)


def test_tokens_are_estimated_from_what_is_sent() -> None:
    """Four characters a token, as usual for English and JSON."""
    assert estimated_tokens("abcd", "describes", b"x" * 27) == 11
