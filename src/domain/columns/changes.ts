/** A moment in the life of the columns of one quarter. */
export type Moment = { readonly columns: symbol; readonly change: number };

/** Numbers of the managers whose reports were put or dropped, and of the securities of which rows differ. */
type Changes = { readonly managers: readonly number[]; readonly securities: readonly number[] };

/** Rows of a dropped report that its next one does not have, by their security and content. */
type Gone = Map<string, { readonly security: number; rows: number }>;

/** Rows whose content is kept until their reports come again: some 8 MB. A few reports have fewer. */
const MAX_GONE = 20_000;

/**
 * Notes when the report of each manager came or went the last time, and when rows of each security did. A row
 * that comes back as it was is no change: most amendments correct a few rows of many. Where very many rows go at
 * once, those beyond `maxGone` count as changed.
 */
export function changeLog(maxGone: number = MAX_GONE) {
  const columns = Symbol('columns of a quarter');
  const last = { managers: [] as number[], securities: [] as number[] };
  const gone = new Map<number, Gone>();
  let [change, kept] = [0, 0];
  const endReport = (manager: number): void => {
    for (const { security, rows } of gone.get(manager)?.values() ?? []) {
      last.securities[security] = change;
      kept -= rows;
    }
    gone.delete(manager);
  };
  const after = (times: readonly number[], since: number): number[] =>
    times.flatMap((time, number) => (time > since ? [number] : []));
  return {
    /** A report of the manager comes or goes. */
    noteReport(manager: number): void {
      change += 1;
      last.managers[manager] = change;
    },
    noteGone(manager: number, security: number, contentOf: () => string): void {
      if (kept >= maxGone) {
        last.securities[security] = change;
        return;
      }
      const own = gone.get(manager) ?? (new Map() as Gone);
      gone.set(manager, own);
      const key = `${security} ${contentOf()}`;
      own.set(key, { security, rows: (own.get(key)?.rows ?? 0) + 1 });
      kept += 1;
    },
    noteCome(manager: number, security: number, contentOf: () => string): void {
      const own = gone.get(manager);
      const key = own === undefined ? '' : `${security} ${contentOf()}`;
      const known = own?.get(key);
      if (known === undefined) {
        last.securities[security] = change;
        return;
      }
      kept -= 1;
      if (known.rows === 1) own?.delete(key);
      else known.rows -= 1;
    },
    /** All rows of the manager's report have come: what is gone stays gone. */
    endReport,
    /** Ends reports under way: what has not come back by now is a change. */
    now: (): Moment => {
      for (const manager of gone.keys()) endReport(manager);
      return { columns, change };
    },
    /** What changed after the moment; null for a moment of other columns. */
    since: (moment: Moment | null): Changes | null => {
      if (moment?.columns !== columns) return null;
      for (const manager of gone.keys()) endReport(manager);
      return {
        managers: after(last.managers, moment.change),
        securities: after(last.securities, moment.change),
      };
    },
  };
}
