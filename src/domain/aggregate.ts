import type { InfoTableRow } from './filing.ts';
import type { Accession, Cusip } from './ids.ts';
import type { Reason } from './quality.ts';
import type { Position, PositionKey } from './report.ts';

/** The contributing rows of one filing and the cents that one unit of their value is. */
export type SourceRows = {
  readonly accession: Accession;
  readonly scaleCents: bigint;
  readonly rows: readonly InfoTableRow[];
};

export type Aggregation = {
  /** Sorted by (cusip, putCall, unit). */
  readonly positions: readonly Position[];
  /** What rows without any usable CUSIP leave behind: they are counted but in no position. */
  readonly reasons: readonly Reason[];
};

type Draft = {
  -readonly [Field in keyof Position]: Position[Field] extends readonly (infer Item)[]
    ? Item[]
    : Position[Field];
} & { largestCents: bigint };

/** Passes the check digit, but stands for "nothing held" (domain 2.2, 2.3). */
const PLACEHOLDER = '000000000';
/** Issue numbers 90 and 95 of the Official List are an issuer's calls and puts; they fail the check digit. */
const OPTION_CLASS = /^.{6}9[05]/;

/**
 * Sums rows of one (cusip, put/call, SH or PRN) over other managers, discretion, class titles and
 * name spellings (domain 2.2). Rows of no amount and no value are placeholders and hold nothing.
 * A row that must not be compared keeps its position and its reason, so that nothing is lost.
 * `sources` are in the order of the fold, so that `accessions` end with the newest.
 */
export function aggregatePositions(sources: readonly SourceRows[]): Aggregation {
  const drafts = new Map<string, Draft>();
  const reasons = new Set<Reason>();
  for (const source of sources) {
    for (const row of source.rows) {
      if (isPlaceholder(row)) continue;
      if (row.cusip === null) reasons.add('cusip_malformed');
      else addRow(drafts, row, { cusip: row.cusip, source });
    }
  }
  const positions = [...drafts.values()].map(({ largestCents: _, ...position }) => position);
  return { positions: positions.sort(compareKeys), reasons: [...reasons] };
}

/** A row that says "no holdings": no amount and no value under any CUSIP, `000000000` as a rule. */
export function isPlaceholder(row: InfoTableRow): boolean {
  return row.amount === 0n && row.value === 0n;
}

/** Order of positions everywhere: CUSIP, then no option before CALL before PUT, then PRN before SH. */
export function compareKeys(a: PositionKey, b: PositionKey): number {
  if (a.cusip !== b.cusip) return a.cusip < b.cusip ? -1 : 1;
  if (a.putCall !== b.putCall) return (a.putCall ?? '') < (b.putCall ?? '') ? -1 : 1;
  if (a.unit !== b.unit) return a.unit < b.unit ? -1 : 1;
  return 0;
}

/** One text per key, for maps. */
export function keyText(key: PositionKey): string {
  return `${key.cusip}${key.unit}${key.putCall ?? ''}`;
}

function addRow(
  drafts: Map<string, Draft>,
  row: InfoTableRow,
  { cusip, source }: { cusip: Cusip; source: SourceRows },
): void {
  const key = keyText({ cusip, putCall: row.putCall, unit: row.unit });
  const valueCents = row.value * source.scaleCents;
  let draft = drafts.get(key);
  if (!draft) {
    draft = startDraft(row, cusip, valueCents);
    drafts.set(key, draft);
  } else {
    draft.amount += row.amount;
    draft.valueCents += valueCents;
    // The names of the largest row, the first on ties: the same for any spelling beside it.
    if (valueCents > draft.largestCents) {
      draft.largestCents = valueCents;
      draft.issuer = row.issuer;
      draft.titleOfClass = row.titleOfClass;
    }
  }
  if (draft.accessions.at(-1) !== source.accession) draft.accessions.push(source.accession);
  for (const reason of rowReasons(row)) {
    if (!draft.reasons.includes(reason)) draft.reasons = [...draft.reasons, reason].sort();
  }
}

function startDraft(row: InfoTableRow, cusip: Cusip, valueCents: bigint): Draft {
  return {
    cusip,
    putCall: row.putCall,
    unit: row.unit,
    issuer: row.issuer,
    titleOfClass: row.titleOfClass,
    amount: row.amount,
    valueCents,
    accessions: [],
    reasons: [],
    largestCents: valueCents,
  };
}

function rowReasons(row: InfoTableRow): readonly Reason[] {
  if (row.cusip === PLACEHOLDER) return ['cusip_malformed'];
  if (row.flags.length === 0 || row.putCall === null) return row.flags;
  return row.flags.filter((flag) => flag !== 'cusip_checksum_failed' || !OPTION_CLASS.test(row.cusip ?? ''));
}
