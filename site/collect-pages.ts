import { cpSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const pages = join(import.meta.dirname, 'pages');

// The generator finds its own packages only from below this folder, and a folder's page by the name index.md.
rmSync(pages, { recursive: true, force: true });
const files = globSync(['*.md', '{docs,examples,solutions,deploy,frameworks,hooks,packages,src}/**/*.{md,svg,png}'], {
  cwd: root,
  exclude: ['**/node_modules/**', '**/dist/**', '**/test/**'],
});
for (const file of files) cpSync(join(root, file), join(pages, file.replace(/README\.md$/, 'index.md')));
