import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The paths that the README of a folder refers to: links, and paths in code. */
export function pathsIn(folder: string): readonly string[] {
  const text = readFileSync(join(folder, 'README.md'), 'utf8');
  const links = [...text.matchAll(/\]\(([^):#]+)(?:#[^)]*)?\)/g)].map(([, path = '']) => join(folder, path));
  const fromRoot = [...text.matchAll(/(?:examples|solutions)\/[\w./-]+/g)].map(([path]) => join(root, path));
  const inFolder = [...text.matchAll(/[` ]((?:manifests|hooks)\/[\w./-]+)/g)].map(([, path = '']) =>
    join(folder, path),
  );
  return [...links, ...fromRoot, ...inFolder];
}
