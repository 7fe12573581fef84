import { describe, expect, it } from 'vitest';
import { scriptLine } from '../../src/cli/check/script-line.ts';

const CONFIG = `configVersion: v1
kubernetes:
  - name: a
    kind: Podd
  - name: b
    kind: Podd
`;

const lineAt = (script: string, line: number, config = CONFIG): number | undefined =>
  scriptLine(script, config, { line });

describe('scriptLine', () => {
  it('finds the line in a heredoc, and of several like it the one with the same neighbors', () => {
    const script = `#!/bin/sh\n# kind: Podd\nif [ "$1" = --config ]; then\ncat <<EOF\n${CONFIG}EOF\nfi\n`;

    expect([1, 4, 6].map((line) => lineAt(script, line))).toEqual([5, 8, 10]);
  });

  it('finds it in an indented heredoc, and where the ends of lines are those of Windows', () => {
    const indented = CONFIG.replaceAll(/^/gm, '\t\t');
    const script = `#!/bin/sh\n\tcat <<-EOF\n${indented}\tEOF\n`;

    expect(lineAt(script, 4)).toBe(6);
    expect(lineAt(script.replaceAll('\n', '\r\n'), 4)).toBe(6);
  });

  it('finds a line with a variable in it between its neighbors', () => {
    const script = `#!/bin/sh\ncat <<EOF\n${CONFIG.replace('kind: Podd\n  - name: b', 'kind: $KIND\n  - name: b')}EOF\n`;

    expect(lineAt(script, 4)).toBe(6);
  });

  it('finds a config in one line in the quotes of echo', () => {
    const config = '{"configVersion":"v1","kubernetes":[{"kind":"Podd"}]}';

    expect(lineAt(`#!/bin/sh\n\necho '${config}'\n`, 1, `${config}\n`)).toBe(3);
  });

  it('finds a field that another language writes with its value, where one line alone has both', () => {
    const find = (script: string) => scriptLine(script, '{}', { line: 1, field: { name: 'kind', value: 'Pod' } });

    expect(find("export default defineHook({\n  kubernetes: {\n    pods: { kind: 'Pod' },\n")).toBe(3);
    expect(find("kind: 'Pod'\nkind: 'Pod'\n")).toBeUndefined();
    expect(find("kind: 'Pods'\nkinds: 'Pod'\n")).toBeUndefined();
  });

  it('finds nothing where nothing tells', () => {
    expect(lineAt('#!/bin/sh\nexec print-config\n', 4)).toBeUndefined();
    expect(lineAt('', 4)).toBeUndefined();
    expect(lineAt('a\n', 99)).toBeUndefined();
    expect(scriptLine('}\n}\n', '{\n}', { line: 2 })).toBe(1);
  });

  it('takes a time that grows with the length of the script', () => {
    const script = 'kind: Podd\n'.repeat(20_000);
    const startedAtMs = performance.now();

    expect(lineAt(script, 4, 'kind: Podd\n'.repeat(2000))).toBe(4);

    expect(performance.now() - startedAtMs).toBeLessThan(2000);
  });
});
