"""Patterns as authors write them."""

UNCHANGED = [
    *("^[a-z]+$", r"^\d{3}-\d{4}$", "(?:a|b)*?", r"[\w.-]", r"\.\*\/\x41", "[^-]", "a{2,}", r"[A-Za-z0-9-_]"),
    *(r"\bword\b", "é+", r"[\]\-\\]", "()", r"\t"),
]

REWRITTEN = {
    r"^[\w\:]+\-\@$": r"^[\w:]+-@$",
    r"[\w-.]": r"[\w\-.]",
    "a{": r"a\{",
    "]": r"\]",
    "[[a]]": r"[\[a]\]",
    "[&&]": r"[&\x26]",
    r"(?<year>\d{4})-(?P<month>\d\d)": r"(?:\d{4})-(?:\d\d)",
    r"\Aa\Z": "^a$",
}

WITHOUT_FORM = {
    "look-around": ["^(?=a)", "(?!a)", "(?<!a)b"],
    "back-reference": [r"^(a)\1$", r"(?P<a>x)(?P=a)"],
    "inline flag": ["(?i)a"],
    "Unicode class": [r"\p{L}", r"^\p{Print}+$"],
    "broken": ["[", "(", ")", "a**", "*", "[]", "[z-a]", "a{3,1}", "\\", "[^]", "(" * 1_500],
    "too large": ["(?:a{1000}){1000}", "a" * 2_001, "a{99999999999}"],
}
