import { readFileSync } from 'node:fs';
import { type Brief, briefShape } from '../domain/wire/brief.ts';
import { type Asset, readAsset } from './assets.ts';

const FILE = new URL('sample-brief.json', import.meta.url);

/** A brief of the bundled filings, exactly as it was answered. Its ids can be checked offline. */
export const SAMPLE: Brief = briefShape.parse(JSON.parse(readFileSync(FILE, 'utf8')));

export const SAMPLE_FILE: Asset = readAsset(
  [FILE],
  '/sample/capital-change-brief.json',
  'application/json; charset=utf-8',
);
