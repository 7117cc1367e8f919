import { randomInt } from 'node:crypto';

/** Random, `[a-z0-9]{12}`: part of Redis keys. */
export function newOrgId(): string {
  return Array.from({ length: 12 }, () => randomInt(36).toString(36)).join('');
}
