import pytest, time, asyncio, sys, json, signal, socket
import aiohttp
from tests.support.chromium import *
from tests.browser.scene import *
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
async def start(folder, port, specs):
    p=await asyncio.create_subprocess_exec(sys.executable,"-m","bridge","serve","--json","--port",str(port),"--data",str(folder),"--deadline","5",*[a for s in specs for a in ("--spec",s)],stdout=asyncio.subprocess.PIPE)
    return p, json.loads(await p.stdout.readline())
@pytest.mark.parametrize("n",range(3))
async def test_x(chromium,tmp_path,n):
    with socket.create_server(("127.0.0.1",0)) as s: port=s.getsockname()[1]
    samples, url = await start_sample_api()
    specs=[f"{url}/documents/{x}" for x in ("mirror.yaml","answers.yaml")]
    p,facts=await start(tmp_path,port,specs)
    ctx=await chromium.new_context(); page=await ctx.new_page()
    await open_page(page,facts["page_url"])
    await expect(page.get_by_text("because you named these documents")).to_be_visible()
    async with aiohttp.ClientSession() as h:
        c=Caller(facts["base_url"],facts["key"],h)
        r=await c.call("mirrorQuery"); print(r.status)
        for sig in (signal.SIGKILL,signal.SIGTERM):
            T=time.perf_counter()
            p.send_signal(sig); await p.wait(); print(sig,"down",time.perf_counter()-T)
            p,facts=await start(tmp_path,port,specs); print("up",time.perf_counter()-T)
            await expect_connection(page,"connected"); print("connected",time.perf_counter()-T)
            for i in range(3):
                r=await c.call("mirrorQuery"); print(r.status,r.code, time.perf_counter()-T)
    await ctx.close(); p.kill(); await p.wait(); await samples.cleanup()
