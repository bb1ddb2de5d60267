"""The base URLs and origins that the requests of one document go to."""

from dataclasses import dataclass, field

from toolserver.openapi.servers import ServerUrl, choose_base_url, origin_of

_ANY_ADDRESS = "https://any.invalid"


@dataclass(slots=True)
class Addresses:
    """Base URLs and origins of one document's requests."""

    root: str
    against: str | None
    """Address that relative servers of operations are resolved against."""
    origins: dict[str, str] = field(default_factory=dict[str, str])
    """Origins by base URL, in order of appearance."""

    def are_unusable(self, servers: tuple[ServerUrl, ...]) -> bool:
        """Whether these servers give no address, whatever base URL the user enters for the document."""
        return bool(servers) and not choose_base_url(servers, self.against or _ANY_ADDRESS)

    def are_relative_to_nothing(self, servers: tuple[ServerUrl, ...]) -> bool:
        """Whether these usable servers lack an address because nobody knows where the document is.

        False where other operations lack one, too: then the document as a whole says so.
        """
        return bool(servers and self.root) and not choose_base_url(servers, self.against)

    def of(self, servers: tuple[ServerUrl, ...]) -> tuple[str, str]:
        """Base URL and origin of operations that name these servers."""
        base_url = choose_base_url(servers, self.against) if servers else self.root
        origin = self.origins.get(base_url)
        if origin is None:
            origin = self.origins[base_url] = origin_of(base_url)
        return base_url, origin
