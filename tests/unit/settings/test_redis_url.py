"""What the address of Redis says, in each of its forms."""

from typing import Any

import pytest

from bridge.settings.redis_url import RedisAddress, parse_redis_url


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://cache.lan", {"hosts": (("cache.lan", 6379),)}),
        ("redis://[::1]:7000/3", {"hosts": (("::1", 7000),), "db": 3}),
        ("redis://:p%40ss@cache.lan:6380/", {"hosts": (("cache.lan", 6380),), "password": "p@ss"}),
        (
            "rediss://me:x@cache.lan/1?ssl_ca_certs=/etc/ca.pem",
            {
                "hosts": (("cache.lan", 6379),),
                "db": 1,
                "user": "me",
                "password": "x",
                "tls": True,
                "tls_files": (("ssl_ca_certs", "/etc/ca.pem"),),
            },
        ),
        ("unix:///run/redis.sock?db=2", {"socket": "/run/redis.sock", "db": 2}),
        ("unix://me:x@/run/redis.sock", {"socket": "/run/redis.sock", "user": "me", "password": "x"}),
        (
            "redis+sentinel://:x@s1.lan,s2.lan:26380/4/main?sentinel_password=y%26z",
            {
                "hosts": (("s1.lan", 26379), ("s2.lan", 26380)),
                "service": "main",
                "db": 4,
                "password": "x",
                "sentinel_password": "y&z",
            },
        ),
        ("rediss+sentinel://s1.lan/0/main", {"hosts": (("s1.lan", 26379),), "service": "main", "tls": True}),
    ],
)
def test_each_form_of_address_says_where_redis_is(url: str, expected: dict[str, Any]) -> None:
    """They are the forms that redis-py and its users know, and one for Sentinels."""
    assert parse_redis_url(url) == RedisAddress(**expected)


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("cache.lan:6379", "must be redis://"),
        ("http://cache.lan", "must be redis://"),
        ("redis://", "names no host"),
        ("redis://cache.lan:port", "a port that is none"),
        ("redis://cache.lan:0", "a port that is none"),
        ("redis://cache.lan:99999", "a port that is none"),
        ("redis://a.lan,b.lan", "several hosts"),
        ("redis://[::1", "is no address"),
        ("redis://cache.lan/first", "a database that is no number"),
        ("redis://cache.lan/\u00b2", "a database that is no number"),
        ("redis://cache.lan/1/2", "a database that is no number"),
        ("redis://cache.lan?ssl_ca_certs=a.pem", "needs rediss://"),
        ("rediss://cache.lan?ssl_cert_reqs=none", "unknown option ssl_cert_reqs"),
        ("redis://cache.lan?socket_timeout=60", "unknown option socket_timeout"),
        ("unix://run/redis.sock", "names no socket"),
        ("redis+sentinel://s1.lan/0", "names no service"),
        ("redis+sentinel://s1.lan/main", "a database that is no number"),
        ("redis+sentinel://s1.lan,/0/main", "names no host"),
    ],
)
def test_an_address_that_cannot_be_meant_is_refused(url: str, sentence: str) -> None:
    """A start that fails says more than a Redis that is never reached."""
    with pytest.raises(ValueError, match=sentence):
        parse_redis_url(url)


def test_an_address_is_shown_without_its_passwords() -> None:
    """It stands in messages and logs."""
    for url, shown in (
        ("redis://me:secret@cache.lan/1", "redis://cache.lan:6379/1"),
        ("rediss://:secret@[::1]", "rediss://[::1]:6379/0"),
        ("unix://:secret@/run/redis.sock", "unix:///run/redis.sock?db=0"),
        (
            "redis+sentinel://:secret@s1.lan,s2.lan/0/main?sentinel_password=secret",
            "redis+sentinel://s1.lan:26379,s2.lan:26379/0/main",
        ),
    ):
        assert parse_redis_url(url).shown == shown
        assert "secret" not in repr(parse_redis_url(url))
