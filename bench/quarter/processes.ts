import { readdirSync, readFileSync } from 'node:fs';

/** What a process used until it was last seen. */
export type Used = { readonly cpuMs: number; readonly peakMb: number };

const EVERY_MS = 500;
/** One tick of /proc is ten milliseconds on every Linux that Node supports. */
const TICK_MS = 10;

/**
 * Watches processes with their children by /proc until `stop`, which returns for each name the sum of the CPU
 * and the largest peak of resident memory of one process. A worker of some queues has a name of its own, that of
 * the queues. What a process does in its last half second is not seen.
 */
export function watchProcesses(roots: ReadonlyMap<string, number>) {
  const seen = new Map<string, Map<number, Used>>();
  const names = new Map<number, string>();
  const look = (): void => {
    const parents = parentsOf();
    for (const [name, root] of roots) {
      for (const pid of treeOf(root, parents)) {
        const now = usedBy(pid);
        if (now === null) continue;
        const own = pid === root ? name : (queuesOf(pid) ?? names.get(pid) ?? name);
        names.set(pid, own);
        const used = seen.get(own) ?? new Map<number, Used>();
        seen.set(own, used.set(pid, { ...now, peakMb: peakOf(now, used.get(pid)) }));
      }
    }
  };
  look();
  const timer = setInterval(look, EVERY_MS);
  const totals = () => new Map([...seen].map(([name, used]) => [name, totalOf([...used.values()])]));
  return {
    /** What was used until now. */
    totals,
    stop: (): Map<string, Used> => {
      clearInterval(timer);
      look();
      return totals();
    },
  };
}

/** One that has just ended has no memory any more. */
function peakOf(now: Used, before: Used | undefined): number {
  return Math.max(now.peakMb, before?.peakMb ?? 0);
}

function totalOf(used: readonly Used[]): Used {
  return {
    cpuMs: used.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    peakMb: Math.max(0, ...used.map(({ peakMb }) => peakMb)),
  };
}

/** Of `work --queues briefs,heavy`; null for any other process, and for one that has ended. */
function queuesOf(pid: number): string | null {
  try {
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const at = args.indexOf('--queues');
    return at < 0 ? null : (args[at + 1] ?? null);
  } catch {
    return null;
  }
}

/** Null for a process that has ended. */
export function usedBy(pid: number): Used | null {
  try {
    const fields = statOf(pid);
    const peakKb = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
      peakMb: Number(peakKb ?? 0) / 1_024,
    };
  } catch {
    return null;
  }
}

/** The fields of proc(5)'s stat after the name, which may hold spaces. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function parentsOf(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      parents.set(Number(name), Number(statOf(Number(name))[1]));
    } catch {
      // It ended while the list was read.
    }
  }
  return parents;
}

function treeOf(root: number, parents: ReadonlyMap<number, number>): number[] {
  const tree = [root];
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  return tree;
}
