import { AbstractCursor, type Db } from 'mongodb';

const OF_CURSORS = new Set(['toArray', 'next', 'forEach']);
const LAZY = new Set(['find', 'aggregate']);

/** A command on a collection, by the name of the driver's method: of a read that of its cursor. */
export type Command = { readonly collection: string; readonly name: string };

/** What happens around each command, which waits for it. */
export type Around = {
  readonly before?: (command: Command) => Promise<void>;
  /** The database has done it, and the caller does not know yet. */
  readonly after?: (command: Command) => Promise<void>;
};

/** A database in which a test can act between two commands of one piece of work. */
export function interruptedDb(db: Db, around: Around): Db {
  const collection = (...args: Parameters<Db['collection']>) =>
    waiting(db.collection(...args), { name: args[0], around });
  return new Proxy(db, {
    get: (_, name) => (name === 'collection' ? collection : bound(db, Reflect.get(db, name, db))),
  });
}

const bound = (of: object, value: unknown) => (typeof value === 'function' ? value.bind(of) : value);

type Watched = { readonly name: string; readonly around: Around };

function waiting<T extends object>(of: T, watched: Watched): T {
  const isCursor = of instanceof AbstractCursor;
  return new Proxy(of, {
    get(_, name) {
      const value = Reflect.get(of, name, of);
      if (typeof value !== 'function') return value;
      const isCommand = isCursor ? OF_CURSORS.has(String(name)) : !LAZY.has(String(name));
      if (isCommand) {
        const command = { collection: watched.name, name: String(name) };
        return (...args: unknown[]) => interrupted(watched.around, command, () => value.apply(of, args));
      }
      return (...args: unknown[]) => {
        const made: unknown = value.apply(of, args);
        return made instanceof AbstractCursor ? waiting(made, watched) : made;
      };
    },
  });
}

async function interrupted({ before, after }: Around, command: Command, run: () => unknown) {
  await before?.(command);
  const result = await run();
  await after?.(command);
  return result;
}
