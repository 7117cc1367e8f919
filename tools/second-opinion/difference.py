"""One value in which two readings differ, with all that an explanation may look at."""

from dataclasses import dataclass

from values import Reading, Row, Value


@dataclass(frozen=True)
class Side:
    """Our reading of a file beside another reader's."""

    reader: str
    file: str
    source: str
    ours: Reading
    theirs: Reading


@dataclass(frozen=True)
class Difference:
    side: Side
    field: str
    ours: Value
    theirs: Value
    our_row: Row | None = None
    their_row: Row | None = None

    @property
    def name(self) -> str:
        """The last part of the field's name."""
        return self.field.rsplit(".", 1)[-1]

    def __str__(self) -> str:
        return f"{self.side.file}: {self.field}: ours {self.ours!r}, {self.side.reader} {self.theirs!r}"
