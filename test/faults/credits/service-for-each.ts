import { afterEach, beforeEach } from 'vitest';
import { openService, type Service } from './service.ts';

/** A service for each test of a file that imports this, up when the test begins. */
export let service: Service;

beforeEach(async () => {
  service = await openService();
  await service.untilUp();
}, 180_000);
afterEach(() => service.close());
