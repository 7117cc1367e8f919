import { type Html, html } from './html.ts';

export type Snippet = { readonly title: string; readonly about: string; readonly code: string };

/** How to call this site. The key is in a variable, never in the text. */
export function snippetsOf(siteUrl: string) {
  const brief = `${siteUrl}/v1/stocks/AAPL/capital-change-brief`;
  return {
    curl: { title: 'curl', about: 'The balance, free of charge', code: curlOf(`${siteUrl}/v1/credits`) },
    brief: { title: 'curl, a brief', about: 'Who is building or leaving AAPL', code: curlOf(brief) },
    typescript: { title: 'TypeScript', about: 'Node 20 or later, no package', code: typescriptOf(brief) },
    python: { title: 'Python', about: 'Python 3, standard library', code: pythonOf(brief) },
  } satisfies Record<string, Snippet>;
}

export function snippetView({ title, about, code }: Snippet): Html {
  return html`<figure class="snippet">
<figcaption><strong>${title}</strong> <span class="soft">${about}</span></figcaption>
<pre tabindex="0"><code>${code}</code></pre>
</figure>`;
}

/** The only snippet that contains a key, for the page that shows the key. */
export function shellLine(key: string): Html {
  return html`<pre tabindex="0"><code>export TIDEMARK_KEY=${key}</code></pre>`;
}

function curlOf(url: string): string {
  return `curl -s -H "Authorization: Bearer $TIDEMARK_KEY" \\\n  ${url}`;
}

function typescriptOf(url: string): string {
  return `const response = await fetch('${url}', {
  headers: { Authorization: \`Bearer \${process.env.TIDEMARK_KEY}\` },
});
if (!response.ok) throw new Error(await response.text());
const { data } = await response.json();
console.log(data.headline);`;
}

function pythonOf(url: string): string {
  return `import json, os, urllib.request

request = urllib.request.Request(
    "${url}",
    headers={"Authorization": f"Bearer {os.environ['TIDEMARK_KEY']}"},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)["data"]["headline"])`;
}
