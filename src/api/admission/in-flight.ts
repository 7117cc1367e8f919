/** How many calls of each key, or uploads of each client, this process handles at this moment. */
export type InFlight = {
  /** False when there are too many of `id`; else one is counted until `leave`. */
  readonly enter: (id: string) => boolean;
  readonly leave: (id: string) => void;
};

/** Allows `max` of each id. Counted per process, because it protects the process. */
export function countInFlight(max: number): InFlight {
  const counts = new Map<string, number>();
  return {
    enter(id) {
      const count = counts.get(id) ?? 0;
      if (count >= max) return false;
      counts.set(id, count + 1);
      return true;
    },
    leave(id) {
      const count = counts.get(id) ?? 0;
      if (count <= 1) counts.delete(id);
      else counts.set(id, count - 1);
    },
  };
}
