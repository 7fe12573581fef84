import { describe, expect, it } from 'vitest';
import { checkGithub } from '../../src/cli/check/github.ts';
import { checkJunit } from '../../src/cli/check/junit.ts';
import type { CheckProblem, CheckReport } from '../../src/cli/check/report.ts';
import { checkText } from '../../src/cli/check/text.ts';

const HOOK = {
  name: 'a.sh',
  file: 'hooks/a.sh',
  type: 'process' as const,
  bindings: [{ type: 'onStartup' as const, name: 'onStartup', queue: 'main', summary: 'onStartup 1' }],
  settings: 'timeout 5s',
};

const ERROR: CheckProblem = {
  severity: 'error',
  hook: 'b.sh',
  file: 'hooks/b.sh',
  line: 4,
  path: 'kubernetes[0].kind',
  message: 'got "x"',
  output: { stdout: '', stderr: 'about to fail' },
};
const WARNING: CheckProblem = { ...ERROR, severity: 'warning', hook: null, line: null, path: '', message: 'no hooks' };

function reportOf(...problems: readonly CheckProblem[]): CheckReport {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return { hooks: [HOOK], problems, summary: { hooks: 2, broken: 1, errors, warnings: problems.length - errors } };
}

describe('checkText', () => {
  it('shows hooks, then problems with file and line, then how many there are', () => {
    expect(checkText(reportOf(ERROR, WARNING))).toBe(
      [
        'a.sh',
        '  onStartup 1',
        '  settings timeout 5s',
        'hooks/b.sh:4: error: kubernetes[0].kind: got "x"',
        '  stderr: about to fail',
        'hooks/b.sh: warning: no hooks',
        '  stderr: about to fail',
        '2 hook(s), 1 broken, 1 problem(s), 1 warning(s)',
        '',
      ].join('\n'),
    );
  });

  it('says behind each binding which replicas run it, where that is known', () => {
    const bindings = HOOK.bindings.map((binding) => ({ ...binding, shards: 'on every replica' }));

    expect(checkText({ ...reportOf(), hooks: [{ ...HOOK, bindings }] })).toContain(
      '\n  onStartup 1; on every replica\n',
    );
  });

  it('says what to do about files that are skipped', () => {
    const skipped: CheckProblem = { ...WARNING, severity: 'error' };

    expect(checkText(reportOf(skipped))).toContain('belongs in a folder called lib; --allow-skipped lets all pass');
    expect(checkText(reportOf(WARNING))).not.toContain('--allow-skipped');
  });

  it('tells hooks of one name apart by their files', () => {
    const text = checkText({ ...reportOf(), hooks: [HOOK, { ...HOOK, file: 'more/a.sh' }] });

    expect(text).toMatch(/^hooks\/a\.sh\n(?: .*\n)+more\/a\.sh\n/);
  });
});

describe('checkGithub', () => {
  it('is a command for each problem, then how many there are', () => {
    expect(checkGithub(reportOf(ERROR, WARNING))).toBe(
      [
        '::error file=hooks/b.sh,line=4,title=hook b.sh::kubernetes[0].kind: got "x"',
        '::warning file=hooks/b.sh,title=no hook::no hooks',
        '2 hook(s), 1 broken, 1 problem(s), 1 warning(s)',
        '',
      ].join('\n'),
    );
  });

  it('escapes percent signs, line ends, colons and commas, so that a hook cannot give commands of its own', () => {
    const message = '100%0A\r\n::add-path::/evil, a:b';
    const [command, summary, ...more] = checkGithub(reportOf({ ...ERROR, file: 'a,b:c%\n.sh', message })).split('\n');

    expect(command).toBe(
      '::error file=a%2Cb%3Ac%25%0A.sh,line=4,title=hook b.sh::kubernetes[0].kind: 100%250A%0D%0A::add-path::/evil, a:b',
    );
    expect([summary, more]).toEqual([expect.stringMatching(/^2 hook\(s\)/), ['']]);
  });
});

describe('checkJunit', () => {
  it('is a test case for each file, with one failure that has all its errors', () => {
    const second: CheckProblem = { ...ERROR, line: 9, path: '', message: 'another' };

    expect(checkJunit(reportOf(ERROR, second, WARNING))).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="hooklet check" tests="2" failures="1" errors="0" skipped="0">
  <testsuite name="hooklet check" tests="2" failures="1" errors="0" skipped="0">
    <testcase classname="hooklet check" name="hooks/a.sh" file="hooks/a.sh" line="1"/>
    <testcase classname="hooklet check" name="hooks/b.sh" file="hooks/b.sh" line="4">
      <failure type="error" message="kubernetes[0].kind: got &quot;x&quot;">hooks/b.sh:4: kubernetes[0].kind: got &quot;x&quot;
stderr: about to fail
hooks/b.sh:9: another
stderr: about to fail
</failure>
      <system-out>hooks/b.sh: no hooks
stderr: about to fail
</system-out>
    </testcase>
  </testsuite>
</testsuites>
`);
  });

  it('is well-formed XML whatever a hook wrote', () => {
    const all = Array.from({ length: 0x2_00 }, (_, code) => String.fromCodePoint(code)).join('');
    const hostile = `${all}\uD800 \uDC00 \uFFFE \uFFFF 👍 ]]> <!-- & --> </failure> "'`;
    const problem: CheckProblem = {
      ...ERROR,
      file: hostile,
      message: hostile,
      output: { stdout: hostile, stderr: '' },
    };

    const xml = checkJunit(reportOf(problem, { ...problem, severity: 'warning' }));

    expect(shapeOf(xml)).toBe('testsuites(testsuite(testcase()testcase(failure()system-out())))');
    expect(xml).toMatch(/^(?:[\t\n\u0020-\uD7FF\uE000-\uFFFD]|[\u{10000}-\u{10FFFF}])*$/u);
    expect(xml).toContain('👍 ]]&gt; &lt;!-- &amp; --&gt; &lt;/failure&gt; &quot;');
  });
});

/** Parses the part of XML that is used here as strictly as its grammar demands; returns the names of the elements. */
function shapeOf(xml: string): string {
  const token =
    /<\?xml [^?]*\?>|<\/([\w-]+)>|<([\w-]+)((?: [\w-]+="(?:[^<&"]|&(?:amp|lt|gt|quot|#\d+);)*")*)(\/?)>|((?:[^<&>]|&(?:amp|lt|gt|quot|#\d+);)+)/uy;
  const open: string[] = [];
  let shape = '';
  for (let at = 0; at < xml.length; at = token.lastIndex) {
    token.lastIndex = at;
    const [, closed, opened, , isEmpty] = token.exec(xml) ?? [];
    if (token.lastIndex === 0) throw new Error(`not XML at ${JSON.stringify(xml.slice(at, at + 60))}`);
    if (opened !== undefined) shape += isEmpty === '/' ? `${opened}()` : `${opened}(`;
    if (opened !== undefined && isEmpty === '') open.push(opened);
    if (closed === undefined) continue;
    expect(closed).toBe(open.pop());
    shape += ')';
  }
  expect(open).toEqual([]);
  return shape;
}
