import type { Fault, RequestKind } from './faults.ts';

/** Counts the requests that a local EDGAR sees, so that a test can hold a client to its rate (rule 10.1). */
export function countRequests(now: () => Date) {
  const byKind: Partial<Record<RequestKind, number>> = {};
  const bySecond = new Map<number, number>();
  const faults: Partial<Record<Fault, number>> = {};
  return {
    note(kind: RequestKind): void {
      const second = Math.floor(now().getTime() / 1_000);
      byKind[kind] = (byKind[kind] ?? 0) + 1;
      bySecond.set(second, (bySecond.get(second) ?? 0) + 1);
    },
    noteFault(fault: Fault): void {
      faults[fault] = (faults[fault] ?? 0) + 1;
    },
    counts: () => ({
      byKind: { ...byKind },
      /** By epoch second. */
      bySecond: new Map(bySecond),
      total: [...bySecond.values()].reduce((sum, count) => sum + count, 0),
      busiestSecond: Math.max(0, ...bySecond.values()),
      /** How often each fault was shown. An omitted or repeated entry counts once per page. */
      faults: { ...faults },
    }),
  };
}

export type RequestCounter = ReturnType<typeof countRequests>;
