import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** The root logger: JSON lines on stderr, because stdout is for results. Keys are never logged. */
export function createLogger(level: string, name: string): Logger {
  return pino(
    {
      name,
      level,
      redact: [
        'authorization',
        'cookie',
        '*.authorization',
        '*.cookie',
        '*.key',
        'req.headers.authorization',
      ],
    },
    atOnce(),
  );
}

/** For the line of each call, which has no field to redact: looking for one costs more than the line. */
export function createAccessLog(level: string): Logger {
  return pino({ name: 'access', level, base: null }, together());
}

/** Lines of calls that come within this time are one write: a write for each would cost as much as a call. */
const KEPT_MS = 50;
const KEPT_BYTES = 2_048;
/** Of one write. Above it (PIPE_BUF) the system may put the lines of another process into the middle. */
const MAX_WRITE_BYTES = 4_096;

/** One for all loggers of the process, so that no line is written into another. */
let shared: ReturnType<typeof pino.destination> | undefined;

function stderr(): ReturnType<typeof pino.destination> {
  if (shared !== undefined) return shared;
  const stream = pino.destination({
    ...{ dest: 2, sync: true, minLength: KEPT_BYTES, maxWrite: MAX_WRITE_BYTES },
  });
  process.on('exit', () => stream.flushSync());
  shared = stream;
  return stream;
}

/** What an operator reads is written before the next statement: the process may be killed in it. */
function atOnce(): DestinationStream {
  const stream = stderr();
  return {
    write: (line) => {
      stream.write(line);
      stream.flushSync();
    },
  };
}

/** Lines of calls wait for more of them. A process that is killed loses those of its last moment. */
function together(): DestinationStream {
  const stream = stderr();
  let isWaiting = false;
  const flush = (): void => {
    isWaiting = false;
    stream.flushSync();
  };
  return {
    write: (line) => {
      stream.write(line);
      if (isWaiting) return;
      isWaiting = true;
      setTimeout(flush, KEPT_MS).unref();
    },
  };
}
