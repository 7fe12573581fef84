// Makes a ConfigMap with the HTML of each Page, and keeps it so.
import { condition, reconcile } from 'hooklet';
import type { PageV1 as Page } from './lib/kinds.ts';

const namespace = process.env['POD_NAMESPACE'] ?? 'default';

export default reconcile<Page>(
  {
    name: 'pages',
    apiVersion: 'example.com/v1',
    kind: 'Page',
    namespace: { nameSelector: { matchNames: [namespace] } },
    owns: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
  },
  ({ object: page }) => {
    const html = htmlOf(page.spec);
    return {
      // All that should be there: what is missing is made, what was changed is put right, what is left out is deleted.
      children: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: page.metadata.name }, data: { 'index.html': html } },
      ],
      status: { characters: html.length },
      conditions: [condition('Ready', true, 'Written')],
    };
  },
);

function htmlOf({ title, text = '' }: Page['spec']): string {
  return `<!doctype html><title>${escaped(title)}</title><h1>${escaped(title)}</h1><p>${escaped(text)}</p>\n`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
