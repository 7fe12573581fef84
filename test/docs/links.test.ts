import { existsSync, globSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchors, readDocument, root } from './markdown.ts';

const PAGES = globSync('docs/**/*.md', { cwd: root }).toSorted();
const DOCUMENTS = [
  ...PAGES,
  'src/README.md',
  'hooks/README.md',
  'deploy/README.md',
  'frameworks/README.md',
  'solutions/README.md',
  'solutions/backup/README.md',
  'solutions/etcd-repair/README.md',
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'packages/jq/README.md',
  'packages/sandbox/README.md',
  'packages/test-kubelet/README.md',
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

describe('every page of docs/', () => {
  it.each([['docs/README.md', PAGES.filter((page) => !page.startsWith('docs/decisions/'))]])(
    'is led to from %s',
    (index, pages) => {
      const linked = linksOf(readDocument(index)).map((link) => join(dirname(index), link));

      expect(pages.length).toBeGreaterThan(5);
      expect(pages.filter((page) => page !== index && !linked.includes(page))).toEqual([]);
    },
  );
});

describe('CONTRIBUTING.md', () => {
  it('names files and folders that are there', () => {
    const named = [...readDocument('CONTRIBUTING.md').matchAll(/`((?:\.ci|[\w-]+)\/[\w./-]*\w|[\w-]+\.(?:md|ts))`/g)];
    const paths = named.map(([, path = '']) => path).filter((path) => !path.startsWith('examples/NNN'));

    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
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
