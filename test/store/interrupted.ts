import { AbstractCursor, type Db } from 'mongodb';

const OF_CURSORS = new Set(['toArray', 'next', 'forEach']);
const LAZY = new Set(['find', 'aggregate']);

/**
 * A database that calls `before` ahead of each command on a collection and waits for it, so that a test
 * can change what is stored between two commands of one read.
 */
export function interruptedDb(db: Db, before: () => Promise<void>): Db {
  const collection = (...args: Parameters<Db['collection']>) => waiting(db.collection(...args), before);
  return new Proxy(db, {
    get: (_, name) => (name === 'collection' ? collection : bound(db, Reflect.get(db, name, db))),
  });
}

const bound = (of: object, value: unknown) => (typeof value === 'function' ? value.bind(of) : value);

function waiting<T extends object>(of: T, before: () => Promise<void>): T {
  const isCursor = of instanceof AbstractCursor;
  return new Proxy(of, {
    get(_, name) {
      const value = Reflect.get(of, name, of);
      if (typeof value !== 'function') return value;
      const isCommand = isCursor ? OF_CURSORS.has(String(name)) : !LAZY.has(String(name));
      if (isCommand) return async (...args: unknown[]) => before().then(() => value.apply(of, args));
      return (...args: unknown[]) => {
        const made: unknown = value.apply(of, args);
        return made instanceof AbstractCursor ? waiting(made, before) : made;
      };
    },
  });
}
