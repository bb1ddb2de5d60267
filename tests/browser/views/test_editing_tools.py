"""A user edits a tool in the page: what models read changes, the API does not."""

import json
import os
from pathlib import Path

import pytest
from playwright.async_api import Dialog, Locator, Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.browser.chat_harness import barriers
from tests.browser.views.pictures import SETTLED
from tests.support.chromium import accept_selection, go_to, tab_to
from tests.support.documents.compiled import document_text
from toolserver.json_types import JsonObject

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(180)]

LIMIT: JsonObject = {
    "name": "limit",
    "in": "query",
    "description": "How many",
    "schema": {"type": "integer", "default": 20},
}
ECHO: JsonObject = {
    "/echo": {
        "get": {
            "operationId": "echoOnce",
            "summary": "Says what it got, in many words that a model does not need to know about",
            "parameters": [
                LIMIT,
                {"name": "debug", "in": "query", "schema": {"type": "boolean"}},
                {"name": "any", "in": "query", "schema": True},
            ],
            "responses": {"200": {"description": "ok"}},
        }
    }
}


async def open_echo(scene: BrowserHarness, page: Page, title: str = "Echo") -> str:
    """A server of this page's user; gives its id."""
    text = document_text(title, paths=ECHO, server=scene.samples_url)
    added = await scene.bridge.components.registry.add_server(
        scene.bridge.local_user.id, text, source_url=None
    )
    await accept_selection(page, added.record.id)
    return added.record.id


async def edit_tool(page: Page, server_id: str, name: str) -> Locator:
    """The form, as a user gets to it from the server."""
    await go_to(page, "servers", server_id)
    await (
        page.get_by_role("region", name="Tools of this server")
        .get_by_role("link", name=f"Edit {name}")
        .click()
    )
    form = page.get_by_role("form")
    await expect(form.get_by_role("button", name="Save the edits")).to_be_visible()
    return form


async def save(page: Page) -> None:
    await page.get_by_role("button", name="Save the edits").click()
    await expect(page.get_by_text("Saved.").first).to_be_visible()


async def overlays_of(scene: BrowserHarness, server_id: str) -> list[str]:
    view = await scene.bridge.components.registry.view_of_user(scene.bridge.local_user.id)
    return list(view.find_server(server_id).record.overlays)


async def test_a_tool_is_renamed_described_and_called_by_its_new_name(scene: BrowserHarness) -> None:
    """Issue 41: what is typed is there after a reload, the review marks it, and programs call it so."""
    page = await scene.open_page()
    server = await open_echo(scene, page)
    form = await edit_tool(page, server, "echoOnce")
    await expect(form.get_by_text("Says what it got").last).to_be_visible()
    await form.get_by_label("Name", exact=True).first.fill("not a name")
    await page.get_by_role("button", name="Save the edits").click()
    await expect(form.get_by_text("A name has 1 to 64 letters")).to_be_visible()
    await form.get_by_label("Name", exact=True).first.fill("echo")
    await form.get_by_label("Description", exact=True).first.fill("Says what it got")
    await save(page)
    await expect(page.get_by_test_id("tokens")).to_contain_text("before the edits")
    (text,) = await overlays_of(scene, server)
    assert json.loads(text)["actions"] == [
        {
            "target": "$.paths['/echo'].get",
            "update": {"x-tool-bridge": {"name": "echo", "description": "Says what it got"}},
        }
    ]
    await page.get_by_role("link", name="Review and accept").click()
    row = page.get_by_role("listitem").filter(has_text="The document calls it echoOnce.").first
    await expect(row).to_contain_text("in many words")
    await expect(row.get_by_text("edited", exact=True)).to_be_visible()
    await accept_selection(page, server)
    await page.reload()
    form = await edit_tool(page, server, "echo")
    await expect(form.get_by_label("Name", exact=True).first).to_have_value("echo")
    answer = (await scene.caller.call("echo", {"limit": 3})).json()
    assert answer["query"] == "limit=3"
    assert (await scene.caller.call("echoOnce", {"limit": 4})).json()["query"] == "limit=4"

    await form.get_by_role("button", name="Name: as the document says").first.click()
    await form.get_by_role("button", name="Description: as the document says").first.click()
    await save(page)
    assert await overlays_of(scene, server) == []


@pytest.mark.slow
async def test_a_tool_of_an_mcp_server_is_edited_in_the_same_form(scene: BrowserHarness) -> None:
    """Issue 41: MCP tools are edited the same way."""
    page = await scene.open_page()
    query: JsonObject = {"type": "string", "description": "Words"}
    tool: JsonObject = {"name": "search", "inputSchema": {"type": "object", "properties": {"query": query}}}
    text = json.dumps({"mcp": "2025-06-18", "endpoint": f"{scene.samples_url}/mcp", "tools": [tool]})
    user = scene.bridge.local_user.id
    added = await scene.bridge.components.registry.add_server(user, text, source_url=None)
    server = added.record.id
    await accept_selection(page, server)
    form = await edit_tool(page, server, "search")
    await form.get_by_label("Name", exact=True).first.fill("find")
    await form.locator("summary").filter(has_text="query").click()
    await form.locator("[data-argument=query]").get_by_label("Name", exact=True).fill("words")
    await save(page)
    (overlay,) = await overlays_of(scene, server)
    assert json.loads(overlay)["actions"] == [
        {"target": "$.tools[?@.name == 'search']", "update": {"x-tool-bridge": {"name": "find"}}},
        {
            "target": "$.tools[?@.name == 'search'].inputSchema.properties.query",
            "update": {"x-tool-bridge": {"name": "words"}},
        },
    ]
    await page.get_by_role("link", name="Review and accept").click()
    await expect(page.get_by_text("edited", exact=True).first).to_be_visible()


@pytest.mark.slow
async def test_an_argument_gets_another_default_and_a_name(scene: BrowserHarness) -> None:
    """Issue 41: of an argument its name, description, default and fixed value can be edited.

    A value that is refused afterwards leaves no word of the one that was saved.
    """
    page = await scene.open_page()
    server = await open_echo(scene, page)
    form = await edit_tool(page, server, "echoOnce")
    await form.locator("summary").filter(has_text="limit").click()
    limit = form.locator("[data-argument=limit]")
    await limit.get_by_label("Default", exact=True).fill("many")
    await page.get_by_role("button", name="Save the edits").click()
    await expect(limit.get_by_text("This is not JSON.")).to_be_visible()
    await limit.get_by_label("Default", exact=True).fill("5")
    await limit.get_by_label("Description", exact=True).fill("How many of them")
    await save(page)
    (text,) = await overlays_of(scene, server)
    assert json.loads(text)["actions"] == [
        {
            "target": "$.paths['/echo'].get.parameters[?@.name == 'limit' && @.in == 'query']",
            "update": {"schema": {"default": 5}, "x-tool-bridge": {"description": "How many of them"}},
        }
    ]
    await limit.get_by_label("Default", exact=True).fill("many")
    await page.get_by_role("button", name="Save the edits").click()
    await expect(limit.get_by_text("This is not JSON.")).to_be_visible()
    await expect(page.get_by_text("Saved.")).to_have_count(0)


async def test_arguments_are_renamed_hidden_and_fixed_and_the_api_gets_what_it_knows(
    scene: BrowserHarness,
) -> None:
    """Issue 41: programs use the new names, no program reaches what an edit keeps back."""
    page = await scene.open_page()
    server = await open_echo(scene, page)
    form = await edit_tool(page, server, "echoOnce")
    for name in ("limit", "debug", "any"):
        await form.locator("summary").filter(has_text=name).click()
    await form.locator("[data-argument=limit]").get_by_label("Name", exact=True).fill("count")
    await form.locator("[data-argument=debug]").get_by_label("Fixed value", exact=True).fill("true")
    await form.locator("[data-argument=any]").get_by_label("Hide it").check()
    await save(page)
    await page.get_by_role("link", name="Review and accept").click()
    await expect(page.get_by_text("Each request carries debug = true.")).to_be_visible()
    await expect(page.get_by_text("The query parameter debug is now always true.")).to_be_visible()
    await accept_selection(page, server)
    answer = (await scene.caller.call("echoOnce", {"count": 3})).json()
    assert answer["query"] == "limit=3&debug=true"
    for name in ("limit", "debug", "any"):
        assert (await scene.caller.call("echoOnce", {name: 1})).code == "invalid_arguments", name
    await go_to(page, "tools", "echoOnce")
    fields = page.get_by_role("form", name="Try echoOnce")
    await expect(fields.get_by_text("count", exact=True)).to_be_visible()
    await expect(fields.get_by_text("debug", exact=True)).to_have_count(0)


@pytest.mark.slow
async def test_an_edit_that_cannot_be_is_said_at_its_field(scene: BrowserHarness) -> None:
    """Ruling 54: what looks like a key is not fixed, and its user reads where it belongs."""
    page = await scene.open_page()
    server = await open_echo(scene, page)
    form = await edit_tool(page, server, "echoOnce")
    await form.locator("summary").filter(has_text="any").click()
    fixed = form.locator("[data-argument=any]").get_by_label("Fixed value", exact=True)
    await fixed.fill('"Bearer abcdefghijklmnopqrstuvwxyz0123456789"')
    await save(page)
    problem = form.locator("[data-argument=any] [data-member=fixed] .problem")
    await expect(problem.filter(has_text="Credentials")).to_be_visible()


WRONG: JsonObject = {
    "/wrong": {
        "get": {
            "operationId": "askWrongly",
            "parameters": [
                {**LIMIT, "schema": {"type": "integer", "maximum": 100}},
                {"name": "sort", "in": "query", "schema": {"type": "string", "enum": ["asc", "desc"]}},
                {"name": "must", "in": "query", "required": True, "schema": {"type": "string"}},
            ],
            "responses": {"200": {"description": "ok"}},
        }
    }
}


async def edit_wrongly(scene: BrowserHarness, page: Page) -> tuple[str, Locator]:
    """A server's id, and the form of a tool of it, unfolded."""
    text = document_text("Wrong", paths={**ECHO, **WRONG}, server=scene.samples_url)
    registry = scene.bridge.components.registry
    added = await registry.add_server(scene.bridge.local_user.id, text, source_url=None)
    await accept_selection(page, added.record.id)
    form = await edit_tool(page, added.record.id, "askWrongly")
    for name in ("limit", "sort", "must"):
        await form.locator("summary").filter(has_text=name).click()
    return added.record.id, form


def place_of(form: Locator, argument: str) -> Locator:
    return form.locator(f"[data-argument={argument}]") if argument else form


def problem_at(form: Locator, member: str, argument: str = "") -> Locator:
    return place_of(form, argument).locator(f"[data-member={member}] .problem").first


@pytest.mark.slow
async def test_what_does_not_fit_is_said_at_its_field_and_is_not_saved(scene: BrowserHarness) -> None:
    """Issue 41: the page knows by the document which names and values there are."""
    page = await scene.open_page()
    server, form = await edit_wrongly(scene, page)
    for label, argument, value, said in (
        ("Name", "", "no name", "A name has 1 to 64"),
        ("Name", "limit", "no name", "A name has 1 to 64"),
        ("Default", "limit", "101", "It is at most 100."),
        ("Default", "limit", '"x"', "The document asks for integer."),
    ):
        field = place_of(form, argument).get_by_label(label, exact=True).first
        before = await field.input_value()
        await field.fill(value)
        await page.get_by_role("button", name="Save the edits").click()
        await expect(problem_at(form, label.split()[0].lower(), argument)).to_contain_text(said)
        await expect(field).to_be_focused()
        await field.fill(before)
    assert await overlays_of(scene, server) == []


@pytest.mark.slow
async def test_what_an_edit_cannot_do_is_said_at_its_field_also_after_a_reload(scene: BrowserHarness) -> None:
    """Issue 41: a taken name or an example that does not fit must not be saved without a word."""
    page = await scene.open_page()
    _, form = await edit_wrongly(scene, page)
    own_name = form.get_by_label("Name", exact=True).first
    await own_name.fill("echoOnce")
    await form.get_by_label("Examples", exact=True).fill('[{"must": "a", "limit": "many"}]')
    await place_of(form, "limit").get_by_label("Name", exact=True).fill("must")
    await place_of(form, "must").get_by_label("Hide it").check()
    await place_of(form, "sort").get_by_label("Fixed value", exact=True).fill("up")
    await expect(problem_at(form, "fixed", "sort")).to_contain_text("The document allows only asc, desc.")
    await save(page)
    for _ in range(2):
        await expect(problem_at(form, "name")).to_contain_text("Another tool has this name already")
        await expect(problem_at(form, "examples")).to_contain_text("models are not shown number 1")
        await expect(problem_at(form, "name", "limit")).to_contain_text("'must' is called 'must__query' now")
        await expect(problem_at(form, "fixed", "sort")).to_contain_text("allows only asc, desc. It is sent")
        await expect(problem_at(form, "hidden", "must")).to_contain_text("it is required and has no default")
        await expect(own_name).to_have_value("echoOnce")
        await page.reload()
        await expect(form).to_be_visible()


@pytest.mark.slow
async def test_who_leaves_what_is_not_saved_is_asked(scene: BrowserHarness) -> None:
    """Issue 41: a wrong click does not cost what was typed; what is saved is left without a question."""
    page = await scene.open_page()
    server = await open_echo(scene, page)
    form = await edit_tool(page, server, "echoOnce")
    name = form.get_by_label("Name", exact=True).first
    await name.fill("echo")
    asked: list[str] = []

    async def stay(dialog: Dialog) -> None:
        asked.append(dialog.message)
        await dialog.dismiss()

    page.once("dialog", stay)
    address = page.url
    async with page.expect_event("dialog"):
        await page.get_by_role("navigation").get_by_role("link", name="Tools").click()
    await page.wait_for_url(address)
    await expect(name).to_have_value("echo")
    assert len(asked) == 1
    await save(page)
    page.once("dialog", stay)
    await page.get_by_role("navigation").get_by_role("link", name="Tools").click()
    await expect(form).to_have_count(0)
    assert len(asked) == 1


@pytest.mark.slow
async def test_what_the_bridge_refuses_is_said_at_the_field(scene: BrowserHarness) -> None:
    """Issue 41: of many fields its user finds the one at fault, and nothing is stored."""
    page = await scene.open_page()
    server = await open_echo(scene, page)
    form = await edit_tool(page, server, "echoOnce")
    await form.get_by_label("Name", exact=True).first.fill("echo")
    await form.locator("summary").filter(has_text="any").click()
    default = form.locator("[data-argument=any]").get_by_label("Default", exact=True)
    await default.fill("5")
    await page.get_by_role("button", name="Save the edits").click()
    refusal = form.locator("[data-argument=any] [data-member=default] .problem")
    await expect(refusal).to_contain_text(
        "Action 2 of the overlay 'Edits made in the page' cannot be applied"
    )
    await expect(default).to_be_focused()
    await expect(default).to_have_attribute("aria-invalid", "true")
    assert await overlays_of(scene, server) == []


@pytest.mark.slow
async def test_a_tool_that_is_left_out_is_found_again(scene: BrowserHarness) -> None:
    """No list of tools has what an edit hides, so that none leads back to it."""
    page = await scene.open_page()
    server = await open_echo(scene, page)
    form = await edit_tool(page, server, "echoOnce")
    await form.get_by_label("Leave it out").check()
    await save(page)
    await expect(page.get_by_text("Models no longer get this tool.")).to_be_visible()
    await go_to(page, "servers", server)
    await page.get_by_role("region", name="Edits").get_by_role("link", name="GET /echo").click()
    await page.get_by_role("form").get_by_label("Leave it out").uncheck()
    await save(page)
    await go_to(page, "servers", server)
    await expect(page.get_by_role("link", name="Edit echoOnce")).to_be_visible()


@pytest.mark.slow
async def test_overlays_are_exported_and_imported(scene: BrowserHarness, tmp_path: Path) -> None:
    """Issue 41: an edit can be kept in git, and goes to a server of the same document elsewhere."""
    page = await scene.open_page()
    server = await open_echo(scene, page)
    form = await edit_tool(page, server, "echoOnce")
    await form.get_by_label("Name", exact=True).first.fill("echo")
    await save(page)
    other = await open_echo(scene, page, "Echo again")
    await go_to(page, "servers", server)
    edits = page.get_by_role("region", name="Edits")
    await expect(edits.get_by_test_id("saved-tokens")).to_contain_text("before the edits")
    async with page.expect_download() as begun:
        await edits.get_by_role("button", name="Export Edits made in the page").click()
    download = await begun.value
    assert download.suggested_filename == "overlay.json"
    file = tmp_path / "overlay.json"
    await download.save_as(file)
    await go_to(page, "servers", other)
    await edits.get_by_label("Add an overlay file").set_input_files(file)
    await expect(edits.get_by_text("Edits made in the page")).to_be_visible()
    assert await overlays_of(scene, other) == [file.read_text()] == await overlays_of(scene, server)
    broken = tmp_path / "broken.json"
    broken.write_text("{}")
    await edits.get_by_label("Add an overlay file").set_input_files(broken)
    await expect(edits.get_by_role("alert")).to_contain_text("Overlay")
    await edits.get_by_role("button", name="Remove Edits made in the page").click()
    await expect(edits.get_by_text("Edits made in the page")).to_have_count(0)
    assert await overlays_of(scene, other) == []


@pytest.mark.slow
async def test_of_two_tabs_neither_loses_what_the_other_has_saved(scene: BrowserHarness) -> None:
    """Issue 41: the later one keeps both, and asks where both changed the same."""
    page = await scene.open_page()
    server = await open_echo(scene, page)
    second = await page.context.new_page()
    await second.goto(f"{scene.bridge.base_url}/#/servers/{server}")
    forms = [await edit_tool(tab, server, "echoOnce") for tab in (page, second)]
    await forms[0].get_by_label("Name", exact=True).first.fill("echo")
    await forms[1].get_by_label("Place in lists", exact=True).fill("3")
    await save(page)
    await save(second)
    (text,) = await overlays_of(scene, server)
    assert json.loads(text)["actions"][0]["update"] == {"x-tool-bridge": {"name": "echo", "order": 3}}

    await forms[0].get_by_label("Name", exact=True).first.fill("first")
    await save(page)
    await forms[1].get_by_label("Name", exact=True).first.fill("second")
    await second.get_by_role("button", name="Save the edits").click()
    await expect(forms[1].get_by_text("Saved elsewhere meanwhile: first.")).to_be_visible()
    assert [
        json.loads(each)["actions"][0]["update"]["x-tool-bridge"]["name"]
        for each in await overlays_of(scene, server)
    ] == ["first"]
    await save(second)
    (text,) = await overlays_of(scene, server)
    assert json.loads(text)["actions"][0]["update"] == {"x-tool-bridge": {"name": "second", "order": 3}}


@pytest.mark.slow
async def test_who_does_not_own_a_server_reads_how_to_get_one_to_edit(scene: BrowserHarness) -> None:
    """Ruling 52: only its owner edits a server, and others copy it to one of their own."""
    page = await scene.open_page()
    await go_to(page, "tools", "mirrorJson")
    await page.get_by_role("link", name="Edit mirrorJson").click()
    await expect(page.get_by_text("This server comes from the command line")).to_be_visible()
    await expect(page.get_by_role("link", name="Add a server")).to_be_visible()
    await expect(page.get_by_role("form")).to_have_count(0)


@pytest.mark.slow
async def test_the_form_is_filled_by_keyboard_and_fits_a_phone(scene: BrowserHarness) -> None:
    """Each field is reached in its order, has a name of its own, and nothing is wider than the window."""
    page = await scene.open_page(viewport={"width": 390, "height": 800})
    server = await open_echo(scene, page)
    form = await edit_tool(page, server, "echoOnce")
    name = form.get_by_label("Name", exact=True).first
    await tab_to(page, name)
    await page.keyboard.press("Control+a")
    await page.keyboard.type("echo")
    await tab_to(page, form.locator("summary").filter(has_text="debug"))
    await page.keyboard.press("Enter")
    await tab_to(page, form.locator("[data-argument=debug]").get_by_label("Hide it"))
    await page.keyboard.press("Space")
    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert await barriers(page) == [], scheme
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("Saved.").first).to_be_visible()
    assert [len(json.loads(each)["actions"]) for each in await overlays_of(scene, server)] == [2]
    if folder := os.environ.get("PICTURES"):
        await take_pictures(page, Path(folder), server)


async def take_pictures(page: Page, folder: Path, server: str) -> None:
    for width, height in ((390, 800), (1280, 900)):
        await page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            for name, parts in {
                "edit": ("servers", server, "edit", "GET%20%2Fecho"),
                "server": ("servers", server),
                "review": ("servers", server, "review"),
                "tools": ("tools",),
            }.items():
                await go_to(page, *parts)
                await expect(page.get_by_role("main")).not_to_contain_text("Loading…")
                await page.evaluate(SETTLED)
                await page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)
