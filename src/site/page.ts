import { ICON, PREVIEW, SCRIPT, STYLESHEET } from './assets.ts';
import { type Html, html, markupOf, type Part, trusted } from './html.ts';

/** A page of the site: its head, and its body between header and footer. */
type Page = {
  /** Without the product's name, which follows. Empty on the landing page. */
  readonly title: string;
  readonly description: string;
  /** The page's own path, which the navigation marks. */
  readonly path: string;
  readonly body: Html;
  /** More elements of the head: a page's own stylesheet or script, served by us. */
  readonly head?: Part;
  /** Has the script of the site: send it with `SCRIPTED`. */
  readonly scripted?: boolean;
};

const NAVIGATION = [
  { href: '/docs', label: 'Docs' },
  { href: '/docs/reference', label: 'Reference' },
  { href: '/connect', label: 'Connect' },
] as const;

/** The whole document. It has no inline style or script, because the policy forbids both. */
export function page({ title, description, path, body, head = null, scripted = false }: Page): string {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title === '' ? 'Tidemark' : `${title} · Tidemark`}</title>
<meta name="description" content="${description}">
<meta property="og:site_name" content="Tidemark">
<meta property="og:type" content="website">
<meta property="og:title" content="${title === '' ? description : title}">
<meta property="og:description" content="${description}">
<meta property="og:image" content="${trusted(SITE_PLACE)}${PREVIEW.href}">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta name="twitter:card" content="summary_large_image">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#f7f6f2">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#0e1719">
<link rel="icon" href="${ICON.href}" type="image/svg+xml">
<link rel="stylesheet" href="${STYLESHEET.href}">
${
  scripted
    ? html`<script src="${SCRIPT.href}" type="module"></script>
`
    : null
}${head}</head>
<body>
<a class="button skip" href="#content">Skip to the content</a>
${header(path)}
<main id="content" class="page">
${body}
</main>
${FOOTER}
</body>
</html>
`;
  return markupOf(document);
}

function header(path: string): Html {
  const links = NAVIGATION.map(({ href, label }) => {
    const current = href === path ? html` aria-current="page"` : null;
    return html`<li><a href="${href}"${current}>${label}</a></li>`;
  });
  return html`<header class="site-header">
<div class="site-bar">
<a class="brand" href="/">${MARK}<span>Tidemark</span></a>
<nav class="site-nav" aria-label="Site"><ul>${links}</ul></nav>
</div>
</header>`;
}

/** A staff gauge with a water line. */
const MARK = html`<svg viewBox="0 0 32 32" width="28" height="28" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" aria-hidden="true" focusable="false"><path d="M11 3v26M11 8h5M11 24h5"/><path class="brand-tide" d="M3 17c3.5-4 7-4 10.5-1s7 3 10.5 0 3.5-2 5-2"/></svg>`;

/** Where {@link withOperator} puts the address of the site and whom to ask. A text of a page cannot have them: its brackets are escaped. */
const SITE_PLACE = '<!-- site -->';
const CONTACT_PLACE = '<!-- contact -->';

/** The document with the address of its site, which previews need whole, and the operator's contact in its footer. */
export function withOperator(document: string, siteUrl: string, contact: string | undefined): string {
  const placed = document.replace(SITE_PLACE, () => markupOf(html`${siteUrl}`));
  if (contact === undefined) return placed;
  const link = html`<li><a href="${contactUri(contact)}">Support</a></li>`;
  return placed.replace(CONTACT_PLACE, () => markupOf(link));
}

const FOOTER = html`<footer class="site-footer">
<div class="site-bar">
<p>Tidemark reads what managers and insiders file with the SEC. It is not affiliated with the SEC, and nothing here is investment advice.</p>
<ul>
<li><a href="/docs">Docs</a></li>
<li><a href="/openapi.json">OpenAPI</a></li>
<li><a href="/llms.txt">llms.txt</a></li>
<li><a href="/changelog">Changelog</a></li>
<li><a href="/connect">Connect</a></li>
<li><a href="/status">Status</a></li>
<li><a href="/terms">Terms</a></li>
${trusted(CONTACT_PLACE)}
</ul>
</div>
</footer>`;

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
