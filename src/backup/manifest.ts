import { z } from 'zod';

/** Written last: a folder without it is no backup. */
export const MANIFEST = 'manifest.json';

const collection = z.strictObject({
  name: z.string().regex(/^[a-z0-9_]+$/),
  documents: z.number().int().min(0),
  /** Of the gzip file `<name>.bson.gz`. */
  bytes: z.number().int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export const manifestFile = z.strictObject({
  format: z.literal(1),
  storeVersion: z.number().int(),
  startedAt: z.string(),
  endedAt: z.string(),
  /** The highest number of an event when it ended: what readers may have seen at least. */
  lastEvent: z.number().int().min(0),
  collections: z.array(collection),
});

export type Manifest = z.infer<typeof manifestFile>;
export type CopiedCollection = z.infer<typeof collection>;

export function fileOf(name: string): string {
  return `${name}.bson.gz`;
}
