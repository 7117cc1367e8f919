import type { Redis } from 'ioredis';
import { loadConfig } from '../../../src/config.ts';
import { openContext } from '../../../src/context.ts';
import { startApi } from '../../../src/serve.ts';

/**
 * An API that dies at its next charge: `CHARGE=before` when the charge is about to be sent to Redis, `after` when
 * Redis has charged and the answer is not sent. It is armed by SIGUSR2, so that it can be warm before.
 */
const moment = process.env['CHARGE'];
let isArmed = false;
process.on('SIGUSR2', () => {
  isArmed = true;
  process.stdout.write('armed\n');
});

const config = loadConfig();
const { mongoUrl = '', creditsRedisUrl = '' } = config;
const context = await openContext(config, { mongoUrl, creditsRedisUrl }, 'api');
const api = await startApi({ ...context, creditsRedis: mortal(context.creditsRedis) });
process.stdout.write(`listens on ${api.port}.\n`);

/** Only a charge runs a script whose first key is the record of an API key and that writes to the log. */
function isCharge(args: readonly unknown[]): boolean {
  return args.some((arg) => String(arg).endsWith(':log')) && String(args[2]).includes(':k:');
}

function mortal(redis: Redis): Redis {
  const die = (): void => void process.kill(process.pid, 'SIGKILL');
  const evalsha = async (...args: Parameters<Redis['evalsha']>) => {
    const isLast = isArmed && isCharge(args);
    if (isLast && moment === 'before') die();
    const reply = await redis.evalsha(...args);
    if (isLast && moment === 'after') die();
    return reply;
  };
  return new Proxy(redis, {
    get: (of, name) => {
      if (name === 'evalsha') return evalsha;
      const value: unknown = Reflect.get(of, name, of);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
}
