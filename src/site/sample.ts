import { readFileSync } from 'node:fs';
import type { Brief } from '../domain/wire/brief.ts';
import { type Asset, readAsset } from './assets.ts';

const FILE = new URL('sample-brief.json', import.meta.url);

/**
 * A brief of the bundled filings, exactly as it was answered. Its ids can be checked offline. A test holds
 * it to the shape of a brief: the API that records it anew must start with the recording of an older shape.
 */
export const SAMPLE: Brief = JSON.parse(readFileSync(FILE, 'utf8'));

export const SAMPLE_FILE: Asset = readAsset(
  [FILE],
  '/sample/capital-change-brief.json',
  'application/json; charset=utf-8',
);
