"""What the page shows for an API that does not let it in, run by its framework; Chromium judges."""

import asyncio
import json
import os
import shutil
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from playwright.async_api import Page

from tests.clients.environments import HERE, MCP_1, NODE, GivenEnvironment
from tests.clients.running_client import loopback_environ
from tests.support.chromium import running_chromium
from tests.support.programs import needs
from tests.support.tcp_servers import free_port
from tests.support.waiting import eventually
from tests.support.web_servers import serving

pytestmark = [pytest.mark.asyncio, pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(180)]

PRINTER = HERE.parent / "page" / "support" / "cors_lines.js"
DJANGO = GivenEnvironment("DJANGO_PYTHON", "5.2.19")
NEEDS = {"methods": ["GET", "DELETE"], "headers": ["content-type", "authorization", "x-api-key"]}
SENT = {"Content-Type": "application/json", "Authorization": "Bearer t", "X-API-Key": "k"}
CALL = """async ([url, method, headers]) => {
    try {
        const answer = await fetch(url, { method, headers });
        return `${answer.status} ${answer.headers.get("x-total")}`;
    } catch {
        return "refused";
    }
}"""


async def lines_for(origin: str) -> dict[str, str]:
    """What the page at this origin shows, by framework."""
    node = Path(sys.executable).with_name("node")
    process = await asyncio.create_subprocess_exec(node, PRINTER, origin, json.dumps(NEEDS), stdout=PIPE)
    output, _ = await process.communicate()
    return json.loads(output)


@asynccontextmanager
async def program(*command: Path, lines: str) -> AsyncGenerator[str]:
    """The address of a program that prints its port; killed at the end."""
    environ = {**loopback_environ(), "SERVER_LINES": lines}
    process = await asyncio.create_subprocess_exec(
        *command, stdout=PIPE, stderr=sys.stderr, env=environ, start_new_session=True
    )
    assert process.stdout
    try:
        yield f"http://127.0.0.1:{int(await process.stdout.readline())}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # `node` is a script that starts another
        await process.communicate()


def starlette(lines: str, _folder: Path) -> AbstractAsyncContextManager[str]:
    needs.need_environment(MCP_1)
    return program(MCP_1.interpreter, HERE / "programs" / "cors_starlette.py", lines=lines)


def django(lines: str, _folder: Path) -> AbstractAsyncContextManager[str]:
    if not DJANGO.is_made:
        pytest.skip("needs Django: name a Python that has it and django-cors-headers in DJANGO_PYTHON")
    return program(DJANGO.interpreter, HERE / "programs" / "cors_django.py", lines=lines)


def express(lines: str, folder: Path) -> AbstractAsyncContextManager[str]:
    needs.need_environment(NODE)
    api = folder / "api.mjs"
    text = (HERE / "node" / "cors_express.mjs").read_text(encoding="utf-8")
    api.write_text(text.replace("/* SERVER_LINES */", lines), encoding="utf-8")
    with suppress(FileExistsError):
        (folder / "node_modules").symlink_to(NODE.node_modules)
    return program(NODE.interpreter, api, lines=lines)


@asynccontextmanager
async def nginx(lines: str, folder: Path) -> AsyncGenerator[str]:
    """Before an API that knows no CORS."""
    found = os.environ.get("NGINX") or shutil.which("nginx")
    if not found:
        pytest.skip("needs nginx: install it, or name it in NGINX")

    async def notes(_request: web.Request) -> web.Response:
        return web.json_response(["milk"], headers={"X-Total": "1"})

    app = web.Application()
    app.router.add_route("*", "/notes", notes)
    port = free_port()
    async with serving(app) as api:
        configuration = folder / "nginx.conf"
        configuration.write_text(nginx_configuration(folder, port, f"{lines}\nproxy_pass {api};"), "utf-8")
        process = await asyncio.create_subprocess_exec(
            found, "-p", folder, "-c", configuration, "-e", folder / "errors.log", stderr=sys.stderr
        )
        try:
            await eventually(lambda: _listens(port), what="nginx")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            await process.wait()


def nginx_configuration(folder: Path, port: int, location: str) -> str:
    """One process, which writes below `folder` alone."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder / kind};\n" for kind in kinds)
    server = f"server {{ listen 127.0.0.1:{port}; location / {{\n{location}\n}} }}"
    begin = f"daemon off; master_process off; pid {folder / 'pid'};\nevents {{}}\n"
    return f"{begin}http {{\naccess_log off;\n{places}{server}\n}}\n"


async def _listens(port: int) -> bool:
    with suppress(OSError):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        return True
    return False


FRAMEWORKS: dict[str, Callable[[str, Path], Any]] = {
    "FastAPI, Starlette": starlette,
    "Express": express,
    "Django": django,
    "nginx": nginx,
}


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_the_lines_for_a_framework_let_the_page_in(framework: str, tmp_path: Path) -> None:
    """Finding F-4: lines that were never run would send people to look for the mistake at their own side.

    With them, and not without them, a page calls by the methods of the document with the API's own headers,
    and reads every header of the answer; what they do not name stays refused.
    """
    run = FRAMEWORKS[framework]
    async with running_chromium() as browser, serving(web.Application()) as origin:
        page = await browser.new_page()
        await page.goto(f"{origin}/nothing")
        lines = (await lines_for(origin))[framework]
        async with run("", tmp_path) as api:
            assert await call(page, api, "GET") == "refused"
        async with run(lines, tmp_path) as api:
            assert await call(page, api, "GET") == "200 1"
            assert await call(page, api, "DELETE") == "200 1"
            assert await call(page, api, "PATCH") == "refused"
            assert await call(page, api, "GET", **{"X-Other": "1"}) == "refused"


async def call(page: Page, api: str, method: str, **more: str) -> str:
    """Status and a header of the answer, as a script of the page reads them."""
    return await page.evaluate(CALL, [f"{api}/notes", method, {**SENT, **more}])


STUBS = {
    "org/springframework/context/annotation/Configuration.java": "public @interface Configuration {}",
    "org/springframework/web/servlet/config/annotation/WebMvcConfigurer.java": (
        "public interface WebMvcConfigurer { default void addCorsMappings(CorsRegistry registry) {} }"
    ),
    "org/springframework/web/servlet/config/annotation/CorsRegistration.java": (
        "public class CorsRegistration {"
        + "".join(
            f" public CorsRegistration {name}(String... values) {{ return this; }}"
            for name in ("allowedOrigins", "allowedMethods", "allowedHeaders", "exposedHeaders")
        )
        + " }"
    ),
    "org/springframework/web/servlet/config/annotation/CorsRegistry.java": (
        "public class CorsRegistry { public CorsRegistration addMapping(String pattern) { return null; } }"
    ),
}
"""Spring's classes as its documentation has them (6.2), without what they do."""


async def test_the_lines_for_spring_compile(tmp_path: Path) -> None:
    """Finding F-4: Spring itself is not run; Java reads the lines with the signatures of its classes."""
    javac = shutil.which("javac")
    if not javac:
        pytest.skip("needs a Java compiler")
    for place, text in STUBS.items():
        file = tmp_path / place
        file.parent.mkdir(parents=True, exist_ok=True)
        package = ".".join(Path(place).parent.parts)
        file.write_text(f"package {package};\n{text}\n", encoding="utf-8")
    api = tmp_path / "ToolBridgeCors.java"
    api.write_text((await lines_for("http://127.0.0.1:8765"))["Spring"], encoding="utf-8")
    process = await asyncio.create_subprocess_exec(javac, "-sourcepath", tmp_path, api, stderr=PIPE)
    _, complaints = await process.communicate()
    assert (process.returncode, complaints.decode()) == (0, "")
