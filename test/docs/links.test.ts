import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchors, readDocument, root } from './markdown.ts';

const DOCUMENTS = [
  'docs/hooks.md',
  'docs/configuration.md',
  'docs/operations.md',
  'docs/compatibility.md',
  'docs/sandbox.md',
  'docs/reliability.md',
  'docs/performance.md',
  'docs/dependencies.md',
  'src/README.md',
  'hooks/README.md',
  'deploy/README.md',
  'README.md',
];

/** Links to other files of the project, and within the document. */
function linksOf(text: string): readonly string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link).filter((link) => !/^\w+:/.test(link));
}

/** What is wrong with a link; undefined when it leads somewhere. */
function problemOf(document: string, link: string): string | undefined {
  const [file = '', anchor] = link.split('#', 2);
  const target = file === '' ? document : relative(root, join(root, dirname(document), file));
  if (!existsSync(join(root, target))) return `${link}: no such file`;
  if (anchor === undefined || statSync(join(root, target)).isDirectory()) return undefined;
  return anchors(readDocument(target)).includes(anchor) ? undefined : `${link}: no such heading`;
}

describe('links', () => {
  it.each(DOCUMENTS)('of %s lead somewhere', (document) => {
    const problems = linksOf(readDocument(document)).map((link) => problemOf(document, link));

    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });

  it.each(DOCUMENTS)('to a heading of %s mean one heading', (document) => {
    const names = anchors(readDocument(document));

    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe('the map of the house', () => {
  it('names files that are there', () => {
    const named = [...readDocument('src/README.md').matchAll(/`([\w/-]+\.ts|[\w-]+\/(?:[\w-]+\/)?)`/g)];
    const paths = named.map(([, path = '']) => path);
    const folders = paths.filter((path) => path.includes('/')).map((path) => dirname(`${path}x`));
    const isThere = (path: string): boolean =>
      ['', ...folders].some((folder) => existsSync(join(root, 'src', folder, path)));

    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });
});
