import { openServices } from '../../packages/embedded/open.ts';
import { loadConfig } from '../../src/config.ts';

/** A process of its own that holds the services of its home: prints their URLs, leaves on a line or SIGTERM. */
const services = await openServices(loadConfig(), () => undefined);
process.stdout.write(`${JSON.stringify(services)}\n`);
await new Promise<void>((settle) => {
  process.stdin.once('data', () => settle());
  process.once('SIGTERM', () => settle());
});
await services.release();
process.exit(0);
