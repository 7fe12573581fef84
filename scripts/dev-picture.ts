import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/**
 * Draws what `hooklet dev` prints in a terminal for the project that `hooklet init` makes, as docs/pictures/dev.svg.
 * What differs from run to run is replaced: `node scripts/dev-picture.ts` makes the same picture of the same program.
 */
/** What is said when the first run has ended. */
const LAST = 'hook finished';
const LIMIT_MS = 60_000;
const COLUMNS = 114;
const LINE_HEIGHT = 18;
const GAP = 16;
const FILL: Readonly<Record<string, string>> = { '90': '#8797ae', '32': '#7fd1b9', '33': '#e5c07b', '31': '#f28b82' };
const PLAIN = '#e4eaf2';
const STEADY: readonly (readonly [differs: RegExp, instead: string])[] = [
  [/hooklet-dev-\w{6}/g, 'hooklet-dev-Ab3xY9'],
  [/(127\.0\.0\.1|localhost):\d+/g, '$1:40000'],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '3f0c9a52-6d1e-4b7f-9a08-5c2e71d4b6f3'],
  [/(durationMs=(?:\D\[39m)?)\d+/g, '$140'],
];

/** The lines that `hooklet dev` printed until its first run had ended, with the same times, ports and ids each time. */
export function steadyLines(printed: string): readonly string[] {
  const lines = printed.replaceAll('\r', '').split('\n');
  const end = lines.findIndex((line) => line.includes(LAST));
  if (end === -1) throw new Error(`hooklet dev ran no hook:\n${printed}`);
  return lines.slice(0, end + 1).map((line, index) => {
    const steady = STEADY.reduce((text, [differs, instead]) => text.replaceAll(differs, instead), line);
    return steady.replace(/\d\d:\d\d:\d\d\.\d{3}/, `09:00:00.${String(100 + 20 * index)}`);
  });
}

/** The picture of lines of a terminal, whose colors it keeps. */
export function terminalPicture(lines: readonly string[], label: string): string {
  const height = 2 * GAP + lines.length * LINE_HEIGHT;
  const texts = lines.map((line, index) => {
    const y = GAP + 13 + index * LINE_HEIGHT;
    return `  <text x="${GAP}" y="${y}" xml:space="preserve">${spansOf(line)}</text>\n`;
  });
  const font = 'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13"';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 930 ${height}" role="img" aria-label="${label}" ${font} fill="${PLAIN}">
  <rect width="930" height="${height}" rx="8" fill="#16202e" />
${texts.join('')}</svg>
`;
}

/** The text of each line of such a picture, as far as it is shown. */
export function linesOfPicture(svg: string): readonly string[] {
  const texts = [...svg.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, text = '']) => text.replaceAll(/<[^>]+>/g, ''));
  return texts.map((text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'));
}

/** What a picture shows of a line. */
export function shownPart(line: string): string {
  const plain = stripVTControlCharacters(line);
  return plain.length > COLUMNS ? `${plain.slice(0, COLUMNS - 1)}…` : plain;
}

function spansOf(line: string): string {
  let left = shownPart(line);
  let fill: string | undefined;
  const spans: string[] = [];
  for (const [index, coded] of line.split('\u001B[').entries()) {
    const end = index === 0 ? 0 : coded.indexOf('m') + 1;
    if (index > 0) fill = FILL[coded.slice(0, end - 1)];
    const part = coded.slice(end);
    const isCut = part.length > left.length || (left.endsWith('…') && part.length === left.length);
    const text = escaped(isCut ? left : part);
    left = isCut ? '' : left.slice(part.length);
    if (text !== '') spans.push(fill === undefined ? text : `<tspan fill="${fill}">${text}</tspan>`);
  }
  return spans.join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** What `hooklet dev` prints in a terminal of a project that `hooklet init` has made; `main` is the built program. */
export async function printedByDev(main: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-picture-'));
  const env = { ...process.env, TERM: 'xterm', KUBECONFIG: undefined, NO_COLOR: undefined };
  try {
    const project = join(folder, 'my-hooks');
    execFileSync(process.execPath, [main, 'init', project], { env, stdio: 'ignore' });
    // `script` is the terminal.
    const dev = spawn('script', ['-qefc', `'${process.execPath}' '${main}' dev`, '/dev/null'], { cwd: project, env });
    const limit = setTimeout(() => dev.kill(), LIMIT_MS);
    let printed = '';
    for await (const text of dev.stdout.setEncoding('utf8')) {
      const wasDone = printed.includes(LAST);
      printed += String(text);
      // The key that ends it.
      if (!wasDone && printed.includes(LAST)) dev.stdin.write('q');
    }
    clearTimeout(limit);
    return printed;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, '..');
  const printed = await printedByDev(join(root, 'dist', 'main.js'));
  const lines = ['\u001B[32m$ hooklet dev\u001B[39m', ...steadyLines(printed)];
  const label = 'hooklet dev in a terminal: a sandbox starts, manifests are applied, a hook is loaded, runs and writes';
  writeFileSync(join(root, 'docs', 'pictures', 'dev.svg'), terminalPicture(lines, label));
}
