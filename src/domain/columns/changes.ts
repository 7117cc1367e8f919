/** A moment in the life of the columns of one quarter. */
export type Moment = { readonly columns: symbol; readonly change: number };

/** Numbers of the managers whose reports were put or dropped, and of the securities of which rows differ. */
export type Changes = { readonly managers: readonly number[]; readonly securities: readonly number[] };

/** Rows of a dropped report that its next one does not have, by their security and content. */
type Gone = Map<string, { readonly security: number; rows: number }>;

/**
 * Notes when the report of each manager came or went the last time, and when rows of each security did. A row
 * that comes back as it was is no change: most amendments correct a few rows of many.
 */
export function changeLog() {
  const columns = Symbol('columns of a quarter');
  const last = { managers: [] as number[], securities: [] as number[] };
  const gone = new Map<number, Gone>();
  let change = 0;
  const settle = (manager: number): void => {
    for (const { security } of gone.get(manager)?.values() ?? []) last.securities[security] = change;
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
    noteGone(manager: number, security: number, content: string): void {
      const own = gone.get(manager) ?? (new Map() as Gone);
      gone.set(manager, own);
      const key = `${security} ${content}`;
      own.set(key, { security, rows: (own.get(key)?.rows ?? 0) + 1 });
    },
    noteCome(manager: number, security: number, contentOf: () => string): void {
      const own = gone.get(manager);
      const key = own === undefined ? '' : `${security} ${contentOf()}`;
      const known = own?.get(key);
      if (known === undefined) last.securities[security] = change;
      else if (known.rows === 1) own?.delete(key);
      else known.rows -= 1;
    },
    /** All rows of the manager's report have come: what is gone stays gone. */
    settle,
    now: (): Moment => {
      for (const manager of gone.keys()) settle(manager);
      return { columns, change };
    },
    /** What changed after the moment; null for a moment of other columns. */
    since: (moment: Moment | null): Changes | null => {
      if (moment?.columns !== columns) return null;
      for (const manager of gone.keys()) settle(manager);
      return {
        managers: after(last.managers, moment.change),
        securities: after(last.securities, moment.change),
      };
    },
  };
}
