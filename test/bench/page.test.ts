import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withPart } from '../../bench/page.ts';
import { keptPoints } from '../../bench/plots/plots.ts';
import { anchors, readDocument, root } from '../docs/markdown.ts';

const page = readDocument('docs/performance.md');
const links = [...page.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);

describe('a part of a page', () => {
  const text = 'before\n<!-- a -->\n\nold\n\n<!-- end of a -->\nafter\n';

  it('is written between its marks', () => {
    expect(withPart(text, 'a', 'new')).toBe('before\n<!-- a -->\n\nnew\n\n<!-- end of a -->\nafter\n');
  });

  it('that has no marks is an error', () => {
    expect(() => withPart(text, 'b', 'new')).toThrow('<!-- b -->');
  });
});

describe('docs/performance.md', () => {
  it.each(['results', 'machine', 'scale'])('has a place for %s', (part) => {
    expect(withPart(page, part, 'new')).toContain(`<!-- ${part} -->\n\nnew\n`);
  });

  it('shows every chart that is measured', () => {
    const pictures = links.filter((link) => link.endsWith('.svg'));

    expect(pictures.toSorted()).toEqual(
      Object.keys(keptPoints())
        .map((name) => `performance/${name}.svg`)
        .toSorted(),
    );
  });

  it('has links that lead somewhere', () => {
    const missing = links.filter((link) => {
      const [file = '', anchor] = link.split('#', 2);
      const document = file === '' ? 'docs/performance.md' : join('docs', file);
      if (!existsSync(join(root, document))) return true;
      return anchor !== undefined && !anchors(readDocument(document)).includes(anchor);
    });

    expect(missing).toEqual([]);
  });
});
