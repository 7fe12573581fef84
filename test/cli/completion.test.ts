import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { main } from '../../src/cli/program/program.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

let folder: ReturnType<typeof temporaryFolder>;
let bash: string;

beforeAll(async () => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, 'hooks dir'));
  writeFileSync(join(folder.path, 'hook.sh'), '');
  bash = await printed('completion', 'bash');
  writeFileSync(join(folder.path, 'completion.bash'), bash);
});

afterAll(() => folder[Symbol.dispose]());

/** The output of the program. */
async function printed(...args: readonly string[]): Promise<string> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    expect(await main(args)).toBe(0);
    return write.mock.calls.map(([text]) => text).join('');
  } finally {
    write.mockRestore();
  }
}

/** The completions that bash offers for the last of the words. */
function complete(...words: readonly string[]): readonly string[] {
  const script = `set -u; source '${join(folder.path, 'completion.bash')}'
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hooklet; printf '%s\\n' "\${COMPREPLY[@]-}"`;
  const output = execFileSync('bash', ['-c', script, 'bash', 'hooklet', ...words], { cwd: folder.path });
  return output.toString().split('\n').filter(Boolean);
}

/** The commands and flags in the help of a command. */
async function helpWords(path: readonly string[]) {
  const help = await printed(...path, '--help');
  const part = (title: string): string => new RegExp(`^${title}:\n((?:  .*\n)+)`, 'm').exec(help)?.[1] ?? '';
  return {
    flags: [...part('Options').matchAll(/^ {2}(?:(-\w), )?(--[\w-]+)/gm)]
      .flatMap(([, short, long]) => [short, long])
      .filter((flag) => flag !== undefined),
    commands: [...part('Commands').matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => name ?? ''),
  };
}

const PATHS = [
  [],
  ['start'],
  ['dev'],
  ['check'],
  ['run'],
  ['render'],
  ['rbac'],
  ['diff'],
  ['completion'],
  ['schedule'],
  ['schedule', 'explain'],
  ['schedule', 'list'],
  ['schedule', 'trigger'],
  ['dead'],
  ['dead', 'retry'],
  ['pause'],
  ['work'],
];

describe('hooklet completion', () => {
  it.each(PATHS.map((path) => ({ path })))('offers in bash what the help of $path lists', async ({ path }) => {
    const { flags, commands } = await helpWords(path);
    expect(flags.length).toBeGreaterThan(0);
    expect(complete(...path, '-')).toEqual(expect.arrayContaining(flags));
    if (commands.length > 0) expect(complete(...path, '').toSorted()).toEqual(commands.toSorted());
  });

  it('offers the flags of start where there is no command, as it is the default', () => {
    expect(complete('--hooks')).toEqual(['--hooks-dir']);
  });

  it.each([
    ['a command', ['sched'], ['schedule']],
    ['a command below another', ['schedule', 'tr'], ['trigger']],
    [
      'a flag, and no hidden one',
      ['start', '--log-'],
      ['--log-level', '--log-format', '--log-proxy-hook-json', '--log-compat'],
    ],
    ['a value', ['start', '--log-level', 'd'], ['debug']],
    ['a value after an equals sign, which bash makes a word of', ['start', '--log-level', '=', 'w'], ['warn']],
    ['every value after an equals sign', ['check', '--output', '='], ['text', 'json', 'github', 'junit']],
    ['the value of a short flag', ['check', '-o', 'g'], ['github']],
    ['the value of a flag of the command, not of another', ['schedule', 'list', '-o', ''], ['text', 'json', 'yaml']],
    ['an event', ['run', 'hook.sh', '--event', 'S'], ['Synchronization', 'Schedule']],
    ['the file of a hook', ['run', 'ho'], ['hooks dir', 'hook.sh']],
    ['the file of a flag', ['run', 'hook.sh', '--object', 'hook.'], ['hook.sh']],
    ['a folder, with a space in its name', ['dev', 'hoo'], ['hooks dir']],
    ['nothing for a name that only an operator knows', ['schedule', 'trigger', 'h'], []],
    ['nothing for a number', ['start', '--listen-port', ''], []],
    ['a shell', ['completion', 'f'], ['fish']],
  ])('completes %s', (_what, words, expected) => {
    expect(complete(...words).toSorted()).toEqual(expected.toSorted());
  });

  it('takes a file that is called like a command for a file', () => {
    expect(complete('check', 'start', '--allow')).toEqual(['--allow-skipped']);
  });

  it.each(['zsh', 'fish'])('has for %s the same commands, flags and values', async (shell) => {
    const script = await printed('completion', shell);
    const { flags, commands } = await helpWords(['schedule', 'list']);

    for (const word of [...commands, 'schedule list', 'text json yaml']) expect(script).toContain(word);
    for (const flag of flags) expect(script).toContain(shell === 'fish' ? flag.replace(/^--?/, '') : flag);
    expect(unquoted(script, shell)).not.toMatch(/['"]/);
  });

  it('is a script that bash takes, and is wrong usage for a shell that is not known', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => stderr.mockRestore());

    expect(() => execFileSync('bash', ['-n', join(folder.path, 'completion.bash')])).not.toThrow();
    expect(await main(['completion', 'tcsh'])).toBe(2);
    expect(stderr.mock.calls.join('')).toContain('completion: got "tcsh", expected one of bash, zsh, fish');
  });
});

/** A script without comments and quoted text: a quote that remains is one that is never closed. */
function unquoted(script: string, shell: string): string {
  const single = shell === 'fish' ? /'(?:[^'\\]|\\.)*'/gs : /'[^']*'(?:\\''[^']*')*/g;
  return script
    .replaceAll(/^#.*$/gm, '')
    .replaceAll(/^\s*# .*$/gm, '')
    .replaceAll(single, '')
    .replaceAll(/"[^"]*"/g, '');
}
