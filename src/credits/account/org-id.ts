import { randomInt } from 'node:crypto';

const SHAPE = /^[a-z0-9]{12}$/;

/** Random, `[a-z0-9]{12}`: part of Redis keys. */
export function newOrgId(): string {
  return Array.from({ length: 12 }, () => randomInt(36).toString(36)).join('');
}

/** Whether a text could be an organisation's id. Such a text is not allowed as a name. */
export function looksLikeOrgId(text: string): boolean {
  return SHAPE.test(text);
}
