"""Tables of stored items, responses and events. Items never change; times are UTC seconds since 1970."""

from __future__ import annotations

from typing import cast

from sqlalchemy import (
    BigInteger,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from bridge.storage.replicas.tables import Base
from bridge.storage.tables import WAS_PASSED_ON

ROW_ID = BigInteger().with_variant(Integer, "sqlite")
"""Type of generated row ids. SQLite generates them only where the type is INTEGER."""


class StoredItemRow(Base):
    """An item as it went to or came from a model."""

    __tablename__ = "kept_items"
    row_id: Mapped[int] = mapped_column(ROW_ID, primary_key=True)
    """Ascending in the order in which items were added; not known outside of the store."""
    user_id: Mapped[str] = mapped_column(String(32), ForeignKey("users.id", ondelete="CASCADE"))
    id: Mapped[str] = mapped_column(String(200))
    """Unique for its user only: what two users import may have the same ids."""
    response_id: Mapped[str] = mapped_column(String(200))
    side: Mapped[str] = mapped_column(String(6))
    position: Mapped[int]
    type: Mapped[str] = mapped_column(String(200))
    """The payload's type, so that it can be queried while the payload is encrypted."""
    model: Mapped[str] = mapped_column(Text)
    payload: Mapped[bytes] = mapped_column(LargeBinary)
    """Payload as packed by `bridge.models.stored_items.items`; encrypted where `key_id` is set."""
    size: Mapped[int]
    """Size of the payload as stored, in bytes."""
    key_id: Mapped[str | None] = mapped_column(String(16))
    """Id of the key that it is encrypted with; null: not encrypted."""
    conversation_id: Mapped[str | None] = mapped_column(String(200))
    message_id: Mapped[str | None] = mapped_column(String(200))
    created_at: Mapped[float]
    used_at: Mapped[float] = mapped_column(index=True)
    """Time at which its response was added or last read, accurate to a day."""
    provider_id: Mapped[str | None] = mapped_column(String(200))
    """The payload's own id; null for items stored before 2026-11-22."""
    epoch: Mapped[int | None] = mapped_column(BigInteger)
    """Claim under which it was written; null: there were no replicas."""

    __table_args__ = (
        UniqueConstraint("user_id", "id", name="kept_items_by_id"),
        Index("kept_items_by_conversation", "user_id", "conversation_id", "id"),
        Index("kept_items_by_provider", "user_id", "provider_id"),
        Index("kept_items_by_message", "user_id", "message_id"),
        Index("kept_items_by_response", "user_id", "response_id", "side", "position"),
        Index("kept_items_usage", "user_id", "used_at", "size", "created_at"),
    )


class StoredResponseRow(Base):
    """A response of the Responses API in its current state."""

    __tablename__ = "kept_responses"
    id: Mapped[str] = mapped_column(String(200), primary_key=True)
    user_id: Mapped[str] = mapped_column(String(32), ForeignKey("users.id", ondelete="CASCADE"), index=True)
    model: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(String(20), index=True)
    body: Mapped[bytes] = mapped_column(LargeBinary)
    request: Mapped[bytes] = mapped_column(LargeBinary)
    size: Mapped[int]
    """Size of body and request as stored, in bytes."""
    key_id: Mapped[str | None] = mapped_column(String(16))
    background: Mapped[bool]
    previous_id: Mapped[str | None] = mapped_column(String(200))
    """Id of the previous response. No foreign key: that one may have been deleted."""
    conversation_id: Mapped[str | None] = mapped_column(String(200))
    created_at: Mapped[float]
    ended_at: Mapped[float | None]
    used_at: Mapped[float] = mapped_column(index=True)
    epoch: Mapped[int | None] = mapped_column(BigInteger)
    """Claim under which it was last written (`bridge.homes.Home`); null: there were no replicas."""
    request_id: Mapped[str | None] = mapped_column(String(64))
    """Request that another replica passed on; null: none did."""

    __table_args__ = (
        Index(
            "ix_kept_responses_request_id",
            "request_id",
            sqlite_where=WAS_PASSED_ON,
            postgresql_where=WAS_PASSED_ON,
        ),
    )


class StoredEventsRow(Base):
    """Stream events of a response, as they were sent, several in a row of the table."""

    __tablename__ = "kept_events"
    response_id: Mapped[str] = mapped_column(
        String(200), ForeignKey("kept_responses.id", ondelete="CASCADE"), primary_key=True
    )
    first: Mapped[int] = mapped_column(primary_key=True)
    """Sequence number of the first event in it."""
    last: Mapped[int]
    frames: Mapped[bytes] = mapped_column(LargeBinary)
    key_id: Mapped[str | None] = mapped_column(String(16))


ITEMS = cast(Table, StoredItemRow.__table__)
RESPONSES = cast(Table, StoredResponseRow.__table__)
EVENTS = cast(Table, StoredEventsRow.__table__)
