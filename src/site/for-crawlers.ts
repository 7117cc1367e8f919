/** `/robots.txt`: pages may be read; calls, forms and accounts may not. */
export const ROBOTS = `User-agent: *
Disallow: /v1/
Disallow: /mcp
Disallow: /connect
`;

const YEAR_MS = 365 * 86_400_000;

/** `/.well-known/security.txt` (RFC 9116). `contact`: an e-mail address or an https address. */
export function securityText(contact: string, siteUrl: string, now: Date): string {
  const expires = new Date(Math.floor(now.getTime() / 86_400_000) * 86_400_000 + YEAR_MS).toISOString();
  return `Contact: ${contactUri(contact)}\nExpires: ${expires}\nCanonical: ${siteUrl}/.well-known/security.txt\n`;
}

/** The address of a contact for a link. */
export function contactUri(contact: string): string {
  return contact.includes('@') && !contact.includes(':') ? `mailto:${contact}` : contact;
}
