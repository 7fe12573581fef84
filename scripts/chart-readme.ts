import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isNode, isScalar, parseDocument, type Pair, type YAMLMap } from 'yaml';

// Writes the table of values into deploy/chart/README.md, from the comments of values.yaml.
const chart = join(import.meta.dirname, '..', 'deploy', 'chart');
const BEGIN = '<!-- values -->\n\n';
const END = '\n<!-- end of values -->';

/** The README with the table as it should be. */
export function chartReadme(): string {
  const before = readFileSync(join(chart, 'README.md'), 'utf8');
  const [head = '', rest = ''] = before.split(BEGIN);
  const tail = rest.slice(rest.indexOf(END));
  return `${head}${BEGIN}${valuesTable()}${tail}`;
}

function valuesTable(): string {
  const rows = valueRows().map(({ path, fallback, comment }) => `| \`${path}\` | \`${fallback}\` | ${comment} |\n`);
  return `| Value | Default | |\n|---|---|---|\n${rows.join('')}`;
}

export interface ValueRow {
  readonly path: string;
  /** As JSON. */
  readonly fallback: string;
  readonly comment: string;
}

/** The values of the chart: those with a comment of their own. */
export function valueRows(): readonly ValueRow[] {
  const document = parseDocument(readFileSync(join(chart, 'values.yaml'), 'utf8'));
  return isMap(document.contents) ? rowsOf(document.contents, '') : [];
}

function rowsOf(map: YAMLMap, prefix: string): readonly ValueRow[] {
  return map.items.flatMap((pair: Pair, index) => {
    const { key, value } = pair;
    if (!isScalar(key)) return [];
    const path = `${prefix}${String(key.value)}`;
    // The parser gives the comment before the first key to the map.
    const comment = key.commentBefore ?? (index === 0 ? map.commentBefore : undefined);
    if (comment === undefined || comment === null) return isMap(value) ? rowsOf(value, `${path}.`) : [];
    const text = (comment.split('\n\n').at(-1) ?? '').trim().replaceAll(/\n\s*/g, ' ');
    const fallback = JSON.stringify(isNode(value) ? value.toJSON() : value);
    return [{ path, fallback, comment: text.replaceAll('|', '\\|') }];
  });
}

if (process.argv[1] === import.meta.filename) writeFileSync(join(chart, 'README.md'), chartReadme());
