import type { Cik, Cusip } from '../ids.ts';

/** A row of a report, with the answers of rules that it needs no other row for as bits of `flags`. */
export type ColumnRow = {
  readonly cusip: Cusip;
  readonly issuer: string;
  readonly amount: bigint;
  readonly valueCents: bigint;
  /** Place of its filing in the report; past them all for a row of none or several. */
  readonly filing: number;
  readonly flags: number;
};

/** Numbers of names, and places: in as few bytes as hold all of a column. */
type Numbers = Uint8Array | Uint16Array | Uint32Array;

/** Stands for a number that 32 bits do not hold. */
const WIDE = 2 ** 32 - 1;
const CENTS = 100n;

/**
 * The rows of a quarter, with the index of their securities 20 bytes a row, or 22 and more where some names have
 * numbers above 65,535. Shares and dollars are for `amountOf` and `centsOf` of {@link Room}.
 */
type Columns = {
  readonly manager: Numbers;
  readonly security: Numbers;
  readonly issuer: Numbers;
  /** {@link WIDE} where they need more than 32 bits; so for dollars, which have no cents either. */
  readonly shares: Uint32Array;
  readonly dollars: Uint32Array;
  readonly filing: Numbers;
  readonly flags: Uint8Array;
};

type Exact = Pick<ColumnRow, 'amount' | 'valueCents'>;

/** The rows `[from, to)` of one report, and the numbers of those that are too wide for the columns, by place. */
type Range = { readonly from: number; readonly to: number; readonly wide: ReadonlyMap<number, Exact> };

const NONE_WIDE: ReadonlyMap<number, Exact> = new Map();
const NOTHING: Range = { from: 0, to: 0, wide: NONE_WIDE };

/** Part of the room that is left for replaced reports: making room moves all rows that stand. */
const SPARE = 1 / 16;

/**
 * The rows of reports in columns, by the numbers of their managers. A report of a manager is dropped before its next one
 * is put.
 */
export function roomForRows(names: Names) {
  const ranges = new Map<number, Range>();
  let columns = NO_COLUMNS;
  let [end, standing] = [0, 0];
  const rangeOf = (manager: number): Range => ranges.get(manager) ?? NOTHING;
  const exactOf = (row: number): Exact => {
    const { from, wide } = rangeOf(columns.manager[row] as number);
    const known = wide.get(row - from);
    if (known !== undefined) return known;
    return {
      amount: BigInt(columns.shares[row] as number),
      valueCents: BigInt(columns.dollars[row] as number) * CENTS,
    };
  };
  const setNumber = (name: 'manager' | 'security' | 'issuer' | 'filing', number: number): void => {
    while (number > widest(columns[name])) columns = { ...columns, [name]: widened(columns[name]) };
    columns[name][end] = number;
  };
  /** At the end, where there is room. */
  const write = ({ cusip, issuer, filing, amount, valueCents, flags }: ColumnRow, manager: number): void => {
    setNumber('manager', manager);
    setNumber('security', names.securities.numberOf(cusip));
    setNumber('issuer', names.issuers.numberOf(issuer));
    setNumber('filing', filing);
    columns.shares[end] = narrow(amount);
    columns.dollars[end] = valueCents % CENTS === 0n ? narrow(valueCents / CENTS) : WIDE;
    columns.flags[end] = flags;
  };
  return {
    /** Makes room for rows that will be put. Returns whether rows have moved. */
    reserve(rows: number): boolean {
      if (end + rows <= columns.flags.length) return false;
      const needed = standing + rows;
      // In place of replaced reports: for a moment, other columns would take the memory of a quarter once more.
      const next = isRoomFor(needed, columns) ? columns : columnsOf(Math.ceil(needed * (1 + SPARE)), columns);
      end = moveInto(next, columns, ranges);
      columns = next;
      return true;
    },
    /** Where there is room. */
    put(manager: number, rows: readonly ColumnRow[]): Range {
      const from = end;
      const wide = new Map<number, Exact>();
      for (const row of rows) {
        write(row, manager);
        if (isWide(columns, end)) wide.set(end - from, { amount: row.amount, valueCents: row.valueCents });
        end += 1;
      }
      const range = { from, to: end, wide: wide.size === 0 ? NONE_WIDE : wide };
      ranges.set(manager, range);
      standing += rows.length;
      return range;
    },
    /** Their places stay as they are until others are written there. */
    drop(manager: number): void {
      const { from, to } = rangeOf(manager);
      standing -= to - from;
      ranges.delete(manager);
    },
    columns: (): Columns => columns,
    rows: (): number => standing,
    ranges: (): Range[] => [...ranges.values()],
    rangeOf,
    exactOf,
    /** Shares, as the nearest number: exact below 2^53. */
    amountOf(row: number): number {
      const shares = columns.shares[row] as number;
      return shares === WIDE ? Number(exactOf(row).amount) : shares;
    },
    /** Cents, as the nearest number: exact below 2^53. */
    centsOf(row: number): number {
      const dollars = columns.dollars[row] as number;
      return dollars === WIDE ? Number(exactOf(row).valueCents) : dollars * 100;
    },
  };
}

const NO_COLUMNS: Columns = {
  manager: new Uint16Array(0),
  security: new Uint16Array(0),
  issuer: new Uint16Array(0),
  shares: new Uint32Array(0),
  dollars: new Uint32Array(0),
  filing: new Uint8Array(0),
  flags: new Uint8Array(0),
};

/** Room for rows, as wide as these columns, which hold numbers of the same names. */
function columnsOf(rows: number, { manager, security, issuer, filing }: Columns): Columns {
  return {
    manager: numbersLike(manager, rows),
    security: numbersLike(security, rows),
    issuer: numbersLike(issuer, rows),
    shares: new Uint32Array(rows),
    dollars: new Uint32Array(rows),
    filing: numbersLike(filing, rows),
    flags: new Uint8Array(rows),
  };
}

function numbersLike(column: Numbers, rows: number): Numbers {
  if (column instanceof Uint8Array) return new Uint8Array(rows);
  return column instanceof Uint16Array ? new Uint16Array(rows) : new Uint32Array(rows);
}

/** Whether the rows leave at least half of the spare room, and not four times as much. */
function isRoomFor(rows: number, { flags }: Columns): boolean {
  return flags.length >= rows * (1 + SPARE / 2) && flags.length <= rows * (1 + SPARE * 4);
}

function widened(column: Numbers): Numbers {
  return column instanceof Uint8Array ? Uint16Array.from(column) : Uint32Array.from(column);
}

/** The largest number that it holds. */
function widest(column: Numbers): number {
  return 2 ** (8 * column.BYTES_PER_ELEMENT) - 1;
}

function narrow(amount: bigint): number {
  return amount >= 0n && amount < WIDE ? Number(amount) : WIDE;
}

function isWide({ shares, dollars }: Columns, row: number): boolean {
  return shares[row] === WIDE || dollars[row] === WIDE;
}

/**
 * Moves the rows of the ranges to the front, and returns the end of the last. The map is in the order of the rows,
 * because each report is put at the end of both: so in the same columns no row is overwritten before it has moved.
 */
function moveInto(room: Columns, from: Columns, ranges: Map<number, Range>): number {
  let end = 0;
  for (const [manager, range] of ranges) {
    for (const name of Object.keys(room) as (keyof Columns)[]) {
      room[name].set(from[name].subarray(range.from, range.to), end);
    }
    ranges.set(manager, { ...range, from: end, to: end + range.to - range.from });
    end += range.to - range.from;
  }
  return end;
}

function numbering<T extends string>() {
  const numbers = new Map<T, number>();
  const texts: T[] = [];
  return {
    /** The number of the text; a new text gets the next one. */
    numberOf(text: T): number {
      const known = numbers.get(text);
      if (known !== undefined) return known;
      numbers.set(text, texts.length);
      return texts.push(text) - 1;
    },
    /** Undefined for a text that nobody has named. */
    known: (text: T): number | undefined => numbers.get(text),
    textOf: (number: number): T => texts[number] as T,
    size: () => texts.length,
  };
}

/** Shared by the columns of all quarters, so that a security has one number in each of them. */
export type Names = ReturnType<typeof emptyNames>;

export function emptyNames() {
  return {
    managers: numbering<Cik>(),
    securities: numbering<Cusip>(),
    /** Issuers as reports spell them. */
    issuers: numbering<string>(),
  };
}
