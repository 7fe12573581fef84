import { existsSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import type { MarkdownOptions } from 'vitepress';

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0];
type Token = ReturnType<MarkdownIt['parse']>[number];

interface Places {
  readonly root: string;
  /** The folder of the copied pages. */
  readonly pages: string;
  /** The URL under which the files of the repository are shown; absent: links to them are plain text. */
  readonly source: string | undefined;
}

/**
 * Makes links between files of the repository work on the site: a folder is its README, and a file that is no page is
 * shown at `source`.
 */
export function repositoryLinks(md: MarkdownIt, places: Places): void {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const page = fileOf(env);
    if (page === '') return;
    const folder = dirname(relative(places.pages, page));
    for (const { children } of tokens) {
      for (const token of children ?? []) if (token.type === 'link_open') point(token, children ?? [], folder, places);
    }
  });
}

function point(link: Token, line: readonly Token[], folder: string, places: Places): void {
  const href = link.attrGet('href') ?? '';
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return;
  const target = targetOf(href, folder, places);
  if (target !== undefined) link.attrSet('href', target);
  else for (const one of pairOf(link, line)) Object.assign(one, { tag: 'span', attrs: null });
}

/** Where the link leads on the site; undefined: to nothing that it has. */
function targetOf(href: string, folder: string, { root, source }: Places): string | undefined {
  const [path = '', hash] = href.split('#');
  const file = posix.join(folder, decodeURIComponent(path));
  // A page, or a mistake that the build refuses.
  if (path.endsWith('.md') || !existsSync(join(root, file))) return href.replace('README.md', 'index.md');
  if (existsSync(join(root, file, 'README.md'))) {
    return `${posix.join(path, 'index.md')}${hash === undefined ? '' : `#${hash}`}`;
  }
  return source === undefined ? undefined : `${source}/${file}`;
}

function pairOf(open: Token, line: readonly Token[]): readonly Token[] {
  const end = line.slice(line.indexOf(open)).find(({ type, level }) => type === 'link_close' && level === open.level);
  return end === undefined ? [open] : [open, end];
}

/** The page under way; empty for the search index, which has no links. */
function fileOf(env: unknown): string {
  return typeof env === 'object' && env !== null && 'realPath' in env && typeof env.realPath === 'string'
    ? env.realPath
    : '';
}
