import type { HeaderList } from '../api/http/base-headers.ts';

/**
 * On every page and file of the site. No CORS: pages are for people. The referrer policy is not
 * `no-referrer`, with which browsers send `Origin: null` along with our own forms.
 */
export const PAGE_HEADERS: HeaderList = [
  'Strict-Transport-Security',
  'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options',
  'nosniff',
  'X-Frame-Options',
  'DENY',
  'Referrer-Policy',
  'same-origin',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'Permissions-Policy',
  'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
];

const STRICT: Readonly<Record<string, string>> = {
  'default-src': "'none'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
};

/** The strict policy with a page's own sources in place of the directives that it names. */
export function policyOf(more: Readonly<Record<string, string>>): string {
  return Object.entries({ ...STRICT, ...more })
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}
