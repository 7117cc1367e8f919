/** How many calls of each key this process is answering at this moment. */
export type InFlight = {
  /** False when the key has as many as it may; else the call is counted until `leave`. */
  readonly enter: (keyId: string) => boolean;
  readonly leave: (keyId: string) => void;
};

/** `most` calls a key; counted by process, because what it protects is the process. */
export function countInFlight(most: number): InFlight {
  const counts = new Map<string, number>();
  return {
    enter(keyId) {
      const count = counts.get(keyId) ?? 0;
      if (count >= most) return false;
      counts.set(keyId, count + 1);
      return true;
    },
    leave(keyId) {
      const count = counts.get(keyId) ?? 0;
      if (count <= 1) counts.delete(keyId);
      else counts.set(keyId, count - 1);
    },
  };
}
