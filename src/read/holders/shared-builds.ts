import type { Db } from 'mongodb';
import { openSlots } from './slots.ts';

/**
 * Builds that several readers wait for: who asks for one in progress joins it, also when its first reader has
 * given up. So many are at work at once, and the others wait in the order of their arrival. A build that failed
 * is begun again by the next reader.
 */
export function sharedBuilds<T>(atOnce: number) {
  const building = new WeakMap<Db, Map<string, Promise<T>>>();
  const slots = openSlots(atOnce);
  /** @param key names all that the build depends on */
  return (db: Db, key: string, build: () => Promise<T>): Promise<T> => {
    const own = building.get(db) ?? new Map<string, Promise<T>>();
    building.set(db, own);
    const known = own.get(key);
    if (known !== undefined) return known;
    const begun = slots.run(build).finally(() => own.delete(key));
    own.set(key, begun);
    return begun;
  };
}
