"""What was asked for is proven, and the page that says so is current."""

import itertools
import re

from tests.asked_for import ids_of, read_report
from tests.features import ID, PAGE, UNITS, differing, features, page, proofs
from tests.house.source import refuse, text_of

PROOFS = proofs()


def test_every_feature_has_a_test_or_says_why_not() -> None:
    """A feature that nobody can see failing is a promise, not a feature."""
    refuse(
        f"tests/features.toml: {feature.id} has no test ({feature.title})"
        for feature in features()
        if not PROOFS.get(feature.id) and not feature.later and not feature.out
    )


def test_every_proven_feature_is_seen_from_outside() -> None:
    """Parts that are right by themselves may never have been put together."""
    refuse(
        f"tests/features.toml: {feature.id} has tests of parts only ({feature.title})"
        for feature in features()
        if (tests := PROOFS.get(feature.id)) and not feature.inside
        if all(file.startswith(UNITS) for file, _ in tests)
    )


def test_nothing_is_put_off_that_is_proven() -> None:
    """`later` and `out` must go when the feature comes."""
    refuse(
        f"tests/features.toml: {feature.id} has tests, and `later` or `out`"
        for feature in features()
        if PROOFS.get(feature.id) and (feature.later or feature.out)
    )


def test_a_feature_in_other_words_than_were_asked_for_says_why() -> None:
    """Whoever rewords a row and proves the new words has proven nothing of what was asked for."""
    told = {feature.id for feature in features() if feature.reworded}
    differ = differing()
    refuse(
        f"tests/features.toml: {feature} lacks `reworded`, and a test differs" for feature in differ - told
    )
    refuse(
        f"tests: none says `{feature} differs: …`, and the row has `reworded`" for feature in told - differ
    )


def test_tests_name_only_features_that_there_are() -> None:
    """A mistyped id proves nothing, and its feature seems to lack a test."""
    known = {feature.id for feature in features()}
    refuse(
        f"{file}: {test} names {unknown}, which tests/features.toml does not have"
        for unknown, tests in PROOFS.items()
        if unknown not in known
        for file, test in tests
    )


def test_features_stand_in_the_order_of_their_ids() -> None:
    """Two who add a feature each put it where the other one finds it."""
    listed = features()
    refuse(
        f"tests/features.toml: {later.id} belongs before {earlier.id}"
        for earlier, later in itertools.pairwise(listed)
        if earlier.place > later.place
    )


def test_no_requirement_is_left_out() -> None:
    """Finding house-H3: no one would miss a row that the table lacks, wherever the tests run."""
    known = {feature.id for feature in features()}
    refuse(f"tests/features.toml lacks {row}" for row in ids_of("requirements") if row not in known)


def test_the_list_of_requirements_is_that_of_the_facts() -> None:
    """The list has to follow what is asked for later; without the facts it stands for them."""
    if facts := read_report("facts/features.md"):
        assert re.findall(rf"^\| ({ID}) \|", facts, re.MULTILINE) == ids_of("requirements")


def test_the_page_of_features_is_current() -> None:
    """A page that was written by hand, or not written again, says what was once so."""
    refuse([] if text_of(PAGE) == page() else [f"{PAGE} is old: run python -m tests.features"])
