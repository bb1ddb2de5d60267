"""Tables that replicas share. A database that is moved leaves their rows behind: they are of its replicas."""

from __future__ import annotations

from sqlalchemy import BigInteger, ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from bridge.storage.tables import Base


class HomeRow(Base):
    """Where a user is at home (`bridge.homes.Home`)."""

    __tablename__ = "homes"
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    replica: Mapped[str] = mapped_column(String(32), server_default="", index=True)
    epoch: Mapped[int] = mapped_column(BigInteger)
    claimed_at: Mapped[float]
    """UTC seconds since 1970."""


class ClusterFactRow(Base):
    """What is the same in all replicas, such as the fingerprint of a key."""

    __tablename__ = "cluster_facts"
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[str] = mapped_column(Text)


class ChangeCounterRow(Base):
    """How often what replicas keep in memory was changed; triggers of PostgreSQL count."""

    __tablename__ = "change_counters"
    topic: Mapped[str] = mapped_column(String(32), primary_key=True)
    version: Mapped[int] = mapped_column(BigInteger)


REPLICA_TABLES = frozenset(
    {HomeRow.__tablename__, ClusterFactRow.__tablename__, ChangeCounterRow.__tablename__}
)
"""Names of these tables."""
