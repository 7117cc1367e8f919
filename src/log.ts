import { type Logger, pino } from 'pino';

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
    pino.destination({ dest: 2, sync: false }),
  );
}
