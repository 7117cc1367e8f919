import { z } from 'zod';
import type { Quality } from '../../domain/quality/quality.ts';

export const qualityShape = z.strictObject({
  status: z.enum(['clear', 'uncertain', 'excluded']),
  reasons: z.array(z.string()),
});

/** The wire form, with a copy of the list, so that a stored list is never shared. */
export function wireQuality(quality: Quality): z.infer<typeof qualityShape> {
  return { status: quality.status, reasons: [...quality.reasons] };
}
