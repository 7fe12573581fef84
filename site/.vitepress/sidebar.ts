import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { DefaultTheme } from 'vitepress';

// For | Page | What is in it; a group is named in its first row alone.
const ROW = /^\|\s*(?<group>[^|]*?)\s*\|\s*\[[^\]]*\]\((?<link>[^)]+)\)/;

/** The groups of docs/README.md, each page with its own title: that table is the one list of pages. */
export function sidebar(root: string): DefaultTheme.SidebarItem[] {
  const groups: { text: string; items: DefaultTheme.SidebarItem[] }[] = [];
  for (const line of readFileSync(join(root, 'docs', 'README.md'), 'utf8').split('\n')) {
    const { group = '', link } = ROW.exec(line)?.groups ?? {};
    if (link === undefined) continue;
    if (group !== '') groups.push({ text: `For ${group}`, items: [] });
    const path = posix.join('docs', link);
    const file = path.endsWith('.md') ? path : posix.join(path, 'README.md');
    const page = file.replace(/(?:README)?\.md$/, '');
    groups.at(-1)?.items.push({ text: titleOf(join(root, file)), link: `/${page}` });
  }
  return groups;
}

function titleOf(file: string): string {
  const title = /^# (?<title>.+)$/m.exec(readFileSync(file, 'utf8'))?.groups?.['title'];
  if (title === undefined) throw new Error(`${file} has no line that begins with "# "`);
  return title.replaceAll('`', '');
}
