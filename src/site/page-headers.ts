import type { HeaderList } from '../api/http/base-headers.ts';

/**
 * The headers of every page and file of the site. They have no CORS, because pages are for people.
 * With the referrer policy `no-referrer`, browsers would send `Origin: null` with our own forms.
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

/** The strict policy, in which a page replaces the directives that it names. */
export function policyOf(more: Readonly<Record<string, string>>): string {
  return Object.entries({ ...STRICT, ...more })
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}
