"""Times and days are written in one form, wherever the page shows one."""

import re

from tests.house.source import files, refuse, text_of

FORMS = "static/base/time_format.js"
OTHERS = re.compile(
    r"toLocale(Time|Date)String\(|Intl\.DateTimeFormat|(\bDate\(.*\)|\b(time|date|at|when))\.toLocaleString\("
)
"""Numbers have `toLocaleString`, too."""
UNDER_WAY = ("static/approvals/", "static/settings/")
"""Their texts are being moved into catalogs, and their times with them."""


def test_moments_are_written_by_one_module_alone() -> None:
    """Dates came in three forms, so that two of one call looked like two calls."""
    refuse(
        f"{name}:{number}: {line.strip()}"
        for name in files(".js", under=("static/",))
        if name != FORMS and not name.startswith(("static/vendor/", *UNDER_WAY))
        for number, line in enumerate(text_of(name).splitlines(), 1)
        if OTHERS.search(line)
    )
