import { afterEach, beforeEach } from 'vitest';
import { openService, type Service } from './service.ts';

/** The service of the test that runs. */
export let service: Service;

/** Called once by a test file: a service for each of its tests, up when the test begins. */
export function useService(): void {
  beforeEach(async () => {
    service = await openService();
    await service.untilUp();
  }, 180_000);
  afterEach(() => service.close());
}
