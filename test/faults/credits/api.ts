import type { Command, Redis } from 'ioredis';
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

/** Only a charge runs a script with both the record of an API key and the log. */
function isCharge({ name, args }: Command): boolean {
  const texts = args.map(String);
  return (
    name === 'evalsha' &&
    texts.some((arg) => arg.endsWith(':log')) &&
    texts.some((arg) => arg.includes(':k:'))
  );
}

function mortal(redis: Redis): Redis {
  const die = (): void => void process.kill(process.pid, 'SIGKILL');
  const sendCommand = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    const isLast = isArmed && isCharge(command);
    if (isLast && moment === 'before') die();
    if (isLast && moment === 'after') command.promise.then(die, () => undefined);
    return sendCommand(command, stream);
  };
  return redis;
}
