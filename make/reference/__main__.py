"""`make reference`: writes the parts of the documentation that come from the code."""

import asyncio

from make.reference.pages import ROOT, pages

if __name__ == "__main__":
    for name, text in asyncio.run(pages()).items():
        (ROOT / name).write_text(text, encoding="utf-8")
