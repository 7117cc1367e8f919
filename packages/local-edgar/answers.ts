/** An answer of a local EDGAR: a text, or a file to stream. */
export type LocalAnswer =
  | { readonly status: number; readonly type: string; readonly text: string }
  | { readonly status: 200; readonly type: string; readonly file: string };

export function text(type: string, body: string): { status: number; type: string; text: string } {
  return { status: 200, type, text: body };
}

/** The answer of the SEC's storage for a missing index: 403 and XML. */
export const ACCESS_DENIED: LocalAnswer = {
  status: 403,
  type: 'application/xml',
  text: '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
};

export const NOT_FOUND = page(404, 'Page Not Found', 'This page is not here.');
export const NOT_ALLOWED = page(405, 'Method Not Allowed', 'This server only answers GET and HEAD.');

/** EDGAR's answer for a page past the end of its feed. */
export const FILE_UNAVAILABLE = page(
  503,
  'SEC.gov | File Unavailable',
  'This page is temporarily unavailable.',
);

/** EDGAR's answer to a client without a User-Agent. */
export const UNDECLARED = page(
  403,
  'SEC.gov | Your Request Originates from an Undeclared Automated Tool',
  'Please declare your traffic by updating your user agent to include company specific information.',
);

/** EDGAR's answer to an address that exceeded the request rate. */
export const THRESHOLD_EXCEEDED = page(
  403,
  'SEC.gov | Request Rate Threshold Exceeded',
  'Your request rate has exceeded the limit for automated tools.',
);

export const TOO_MANY_REQUESTS = page(429, 'Too Many Requests', 'Please slow down.');

function page(status: number, title: string, body: string): ReturnType<typeof text> {
  const html = `<!DOCTYPE html>\n<html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1><p>${body}</p></body></html>\n`;
  return { status, type: 'text/html', text: html };
}
