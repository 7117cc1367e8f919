"""Counts of equal and different values, by field and reader, and of what explains the different ones."""

from collections import Counter, defaultdict

from difference import Difference
from expected import EXPECTED, Expected
from values import Reading


class Tally:
    def __init__(self) -> None:
        self.equal: Counter = Counter()
        self.different: Counter = Counter()
        self.explained: dict[Expected, list[Difference]] = defaultdict(list)
        self.unexplained: list[Difference] = []
        self.kinds: Counter = Counter()
        self.others: list[str] = []
        self.seconds: Counter = Counter()

    def document(self, ours: Reading) -> None:
        self.kinds[f"refused: {ours.refused}" if ours.refused else ours.kind] += 1

    def not_carried(self, file: str) -> None:
        self.others.append(file)

    def took(self, reader: str, seconds: float) -> None:
        self.seconds[reader] += seconds

    def same(self, reader: str, field: str, count: int) -> None:
        self.equal[field, reader] += count

    def differs(self, difference: Difference) -> None:
        self.different[difference.field, difference.side.reader] += 1
        reason = next((entry for entry in EXPECTED if entry.explains(difference)), None)
        if reason is None:
            self.unexplained.append(difference)
        else:
            self.explained[reason].append(difference)

    def report(self, details: int, control: str) -> str:
        lines = ["documents: " + ", ".join(f"{count} {kind}" for kind, count in self.kinds.most_common())]
        lines += ["", *self.fields(), "", *self.reasons()]
        lines += self.open_questions(details)
        lines.append(self.last(control))
        return "\n".join(lines)

    def fields(self) -> list[str]:
        readers = sorted({reader for _, reader in [*self.equal, *self.different]})
        width = max(len(field) for field, _ in [*self.equal, *self.different])
        lines = [" ".join([f"{'equal / different':{width}}", *(f"{reader:>18}" for reader in readers)])]
        for field in sorted({field for field, _ in [*self.equal, *self.different]}):
            cells = []
            for reader in readers:
                counts = self.equal[field, reader], self.different[field, reader]
                cells.append(f"{f'{counts[0]} / {counts[1]}' if any(counts) else '':>18}")
            lines.append(" ".join([f"{field:{width}}", *cells]))
        return lines

    def reasons(self) -> list[str]:
        lines = []
        for entry in EXPECTED:
            found = self.explained.get(entry, [])
            if found:
                files = len({difference.side.file for difference in found})
                lines.append(f"{len(found):6} in {files:4} files  {entry.id} ({entry.whose}): {entry.reason}")
                lines.append(f"{'':22}e.g. {str(found[0])[:200]}")
                if entry.issue:
                    lines.append(f"{'':22}see {entry.issue}")
        return lines

    def open_questions(self, details: int) -> list[str]:
        """By reader and field, at most `details` of each."""
        groups: dict[tuple[str, str], list[Difference]] = defaultdict(list)
        for difference in self.unexplained:
            groups[difference.side.reader, difference.field].append(difference)
        lines = []
        for (reader, field), found in sorted(groups.items()):
            lines.append(f"UNEXPLAINED {len(found)} of {reader} in {field}")
            lines += [f"  {str(difference)[:400]}" for difference in found[:details]]
        return lines

    def last(self, control: str) -> str:
        explained = sum(len(found) for found in self.explained.values())
        took = ", ".join(f"{reader} {seconds:.1f} s" for reader, seconds in sorted(self.seconds.items()))
        return (
            f"{sum(self.kinds.values())} documents, {len(self.others)} of forms not carried; "
            f"{sum(self.equal.values())} values equal, {explained} different and explained, "
            f"{len(self.unexplained)} unexplained; {control}; {took}"
        )
