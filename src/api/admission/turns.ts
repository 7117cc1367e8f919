type Bounds = {
  /** Calls that work at once: of one organisation, and of all. */
  readonly perOrganization: number;
  readonly all: number;
};

/** Of one step of a call. Not an AbortSignal: every call would make two, and nothing listens to them. */
export type Deadline = { readonly isOver: boolean };

type Waiting = { readonly begin: () => void; readonly deadline: Deadline };

/**
 * Calls of an organisation that has many at work wait, and organisations take turns: the one with the fewest
 * at work first, then the one that waits longest. So a greedy one takes time from itself.
 */
export function openTurns({ perOrganization, all }: Bounds) {
  const working = new Map<string, number>();
  /** In the order of the last turns. */
  const queues = new Map<string, Waiting[]>();
  let busy = 0;
  const countOf = (org: string): number => working.get(org) ?? 0;
  const take = (org: string): void => {
    busy += 1;
    working.set(org, countOf(org) + 1);
  };
  const leave = (org: string): void => {
    busy -= 1;
    if (countOf(org) === 1) working.delete(org);
    else working.set(org, countOf(org) - 1);
    for (let next = nextOrg(); next !== null; next = nextOrg()) begin(next);
  };
  const nextOrg = (): string | null => {
    if (busy >= all) return null;
    let best: string | null = null;
    for (const org of queues.keys()) {
      if (countOf(org) >= perOrganization) continue;
      if (best === null || countOf(org) < countOf(best)) best = org;
    }
    return best;
  };
  const begin = (org: string): void => {
    const queue = queues.get(org) ?? [];
    queues.delete(org);
    let next = queue.shift();
    // Its client has its 503 already.
    while (next?.deadline.isOver === true) next = queue.shift();
    if (queue.length > 0) queues.set(org, queue);
    if (next === undefined) return;
    take(org);
    next.begin();
  };
  const wait = (org: string, deadline: Deadline): Promise<void> =>
    new Promise((resolve) => {
      const queue = queues.get(org) ?? [];
      queue.push({ begin: resolve, deadline });
      queues.set(org, queue);
    });
  return {
    /**
     * Runs `work` in the turn of the organisation, which ends when the work does, however late. A call whose
     * `deadline` passes before its turn never works.
     */
    async run<T>(org: string, deadline: Deadline, work: () => Promise<T>): Promise<T> {
      if (busy < all && countOf(org) < perOrganization && !queues.has(org)) take(org);
      else await wait(org, deadline);
      try {
        return await work();
      } finally {
        leave(org);
      }
    },
  };
}
