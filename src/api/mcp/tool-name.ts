import { nearest } from '../../domain/search/spelling.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { meaning } from '../endpoint/phrases.ts';
import { ENDPOINTS } from '../endpoints/index.ts';

/** How tools are listed: by their own names, or without dots, which many hosts refuse. */
export type Spelling = 'own' | 'underscore';

const NAMES = ENDPOINTS.map(({ name }) => name);
const BY_NAME = new Map(
  ENDPOINTS.flatMap((one) => [
    [one.name, one],
    [inSpelling(one.name, 'underscore'), one],
  ]),
);

export function inSpelling(name: string, spelling: Spelling): string {
  return spelling === 'own' ? name : name.replaceAll('.', '_');
}

/** The endpoint of a tool by either spelling of its name. */
export function toolNamed(name: string): Endpoint | null {
  return BY_NAME.get(name) ?? null;
}

/**
 * Why a name is refused: it names no tool, but may be near to one. Names are given with dots only to who sent a
 * dot: underscores are taken from everybody.
 */
export function phraseOfUnknownTool(name: string): string {
  const names = NAMES.map((one) => inSpelling(one, name.includes('.') ? 'own' : 'underscore'));
  const found = nearest(name, names);
  return `must be the name of a tool; ${found === null ? `they are ${names.join(', ')}` : meaning(found)}`;
}
