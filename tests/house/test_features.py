"""What was asked for is proven, and the page that says so is current."""

from tests.features import PAGE, features, page, proofs
from tests.house.source import refuse, text_of


def test_every_feature_has_a_test_or_says_why_not_yet() -> None:
    """A feature that nobody can see failing is a promise, not a feature."""
    tests = proofs()
    refuse(
        f"tests/features.toml: {feature.id} has no test ({feature.title})"
        for feature in features()
        if not tests.get(feature.id) and not feature.later
    )


def test_nothing_is_put_off_that_is_proven() -> None:
    """`later` must go when the feature comes."""
    tests = proofs()
    refuse(
        f"tests/features.toml: {feature.id} has tests, and `later`"
        for feature in features()
        if tests.get(feature.id) and feature.later
    )


def test_the_page_of_features_is_current() -> None:
    """A page that was written by hand, or not written again, says what was once so."""
    refuse([] if text_of(PAGE) == page() else [f"{PAGE} is old: run python -m tests.features"])
