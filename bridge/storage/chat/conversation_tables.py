"""Tables of conversations and their messages; times are UTC seconds since 1970."""

from __future__ import annotations

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from bridge.storage.chat.item_tables import Base


class ConversationRow(Base):
    """A conversation of a user."""

    __tablename__ = "conversations"
    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    user_id: Mapped[str] = mapped_column(String(32), ForeignKey("users.id", ondelete="CASCADE"))
    created_at: Mapped[float]
    updated_at: Mapped[float]
    head_id: Mapped[str | None] = mapped_column(String(40))
    """Id of the last message. No foreign key: messages and head change in one transaction."""
    run_id: Mapped[str | None] = mapped_column(String(40))
    run_state: Mapped[str | None] = mapped_column(String(20), index=True)
    settings: Mapped[bytes] = mapped_column(LargeBinary)
    """Settings as packed by `bridge.models.stored_items.items`; encrypted."""
    size: Mapped[int]
    """Size of the settings as stored, in bytes."""
    key_id: Mapped[str | None] = mapped_column(String(16))
    epoch: Mapped[int | None] = mapped_column(BigInteger)
    """Claim under which its run was last written (`bridge.homes.Home`); null: there were no replicas."""
    pinned: Mapped[float | None]
    """Place among the pinned ones of its user; null: not pinned."""

    __table_args__ = (Index("conversations_by_user", "user_id", "updated_at"),)


class ConversationMessageRow(Base):
    """A message of a conversation."""

    __tablename__ = "conversation_messages"
    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    conversation_id: Mapped[str] = mapped_column(
        String(40), ForeignKey("conversations.id", ondelete="CASCADE")
    )
    parent_id: Mapped[str | None] = mapped_column(String(40))
    seq: Mapped[int]
    role: Mapped[str] = mapped_column(String(10))
    created_at: Mapped[float]
    content: Mapped[bytes] = mapped_column(LargeBinary)
    """Items and what is known of them; encrypted."""
    size: Mapped[int]
    key_id: Mapped[str | None] = mapped_column(String(16))

    __table_args__ = (UniqueConstraint("conversation_id", "seq", name="conversation_messages_in_order"),)
