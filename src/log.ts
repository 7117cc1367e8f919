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
    stderr(),
  );
}

/** For the line of each call, which has no field to redact: looking for one costs more than the line. */
export function createAccessLog(level: string): Logger {
  return pino({ name: 'access', level, base: null }, stderr());
}

let destination: DestinationStream | undefined;

/** Lines that come within this time are one write: a write for each would cost as much as a call. */
const FLUSH_MS = 50;
const FLUSH_BYTES = 4_096;

/**
 * One for all loggers, so that no line is written into another. pino writes what is left when the process ends, also
 * by an error that nobody caught.
 */
function stderr(): DestinationStream {
  destination ??= pino.destination({
    ...{ dest: 2, sync: false, minLength: FLUSH_BYTES, periodicFlush: FLUSH_MS },
  });
  return destination;
}
