import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { builtMain } from '../support/built-program.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { type Program, runProgram, startProgram } from '../support/program.ts';
import { readDocument } from './markdown.ts';

interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

const TUTORIAL = readDocument('docs/tutorial.md');
// Each plan plays a whole story: those that make a difference, and a few that make none, are enough.
const HOOKLET = `#!/bin/sh
case "$*" in
  test|"test --all") set -- "$@" --plans 3;;
  "test --all"*) set -- test --skip "$3";;
esac
exec '${process.execPath}' '${builtMain()}' "$@"
`;

function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(/^```(\w.*)\n([^]*?)^```$/gm)].map(({ 1: language = '', 2: code = '', index }) => ({
    language,
    text: code,
    line: text.slice(0, index).split('\n').length,
  }));
}

/** The path that the first comment of a file names. */
function pathOf(text: string): string | undefined {
  return /^(?:#!.*\n)?# ([\w/.-]+\.\w+)(?::|\n)/.exec(text)?.[1];
}

/** Plays the blocks of the page one after the other, as a reader would. */
class Reader {
  readonly #bin: string;
  #folder: string;
  #dev: Program | undefined;
  #printed = '';

  constructor(folder: string) {
    this.#bin = folder;
    this.#folder = folder;
    writeFileSync(join(folder, 'hooklet'), HOOKLET, { mode: 0o755 });
  }

  async read({ language, text, line }: Block): Promise<void> {
    if (text === 'hooklet dev\n') this.#dev = startProgram(['dev'], { cwd: this.#folder });
    else if (language === 'sh') await this.#type(text, line, 0);
    else if (language === 'sh fails') await this.#type(text, line, 1);
    else if (language === 'text') await this.#compare(text);
    else if (language !== 'sh cluster') this.#save(text);
  }

  async #type(text: string, line: number, exitCode: number): Promise<void> {
    await this.#endDev();
    const script = `set -e\ntrap 'pwd >&3' EXIT\n${text}`;
    const env = { PATH: `${this.#bin}:${process.env['PATH'] ?? ''}`, HOME: '/nonexistent', POD_NAMESPACE: undefined };
    const run = await execa('bash', ['-c', script], {
      cwd: this.#folder,
      env,
      all: true,
      reject: false,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.#printed = run.all;
    this.#folder = String(run.stdio[3]).trim();
    expect(run.exitCode, `docs/tutorial.md:${line}\n${run.all}`).toBe(exitCode);
  }

  /** Each line of the page begins a line of the output, in this order; the log of dev has times before it. */
  async #compare(text: string): Promise<void> {
    const lines = text.trimEnd().split('\n');
    if (this.#dev !== undefined) for (const line of lines) await this.#dev.says(line);
    else expect(linesBeginning(this.#printed, lines)).toEqual(lines);
  }

  /** A file that names its path, or else what is to be written above `__main__`. */
  #save(text: string): void {
    const path = pathOf(text);
    const file = join(this.#folder, path ?? 'hooks/quota.sh');
    if (path !== undefined) return writeFileSync(file, text);
    const before = readFileSync(file, 'utf8');
    expect(before).toContain('\nfunction __main__');
    writeFileSync(
      file,
      before.replace('function __main__', () => `${text}\nfunction __main__`),
    );
  }

  async #endDev(): Promise<void> {
    const dev = this.#dev;
    if (dev === undefined) return;
    this.#dev = undefined;
    const page = /page=(http:\S+)/.exec(dev.stdout())?.[1] ?? '';
    expect(await (await fetch(`${page}/runs`)).text()).toContain('services.sh');
    dev.signal('SIGINT');
    expect(await dev.ended).toBe(0);
  }
}

/** Those of `lines` that are found, each after the one before it. */
function linesBeginning(printed: string, lines: readonly string[]): readonly string[] {
  let rest = printed.split('\n');
  return lines.filter((line) => {
    const at = rest.findIndex((one) => one.startsWith(line));
    if (at !== -1) rest = rest.slice(at + 1);
    return at !== -1;
  });
}

it(
  'docs/tutorial.md leads from nothing to a tested operator: each command does what is said',
  { timeout: 180_000 },
  async () => {
    using folder = temporaryFolder();
    const reader = new Reader(folder.path);

    for (const block of blocksOf(TUTORIAL)) await reader.read(block);

    const deploy = readFileSync(join(folder.path, 'pages', 'deploy.yaml'), 'utf8');
    expect(deploy).toContain('image: registry.example.com/pages:1');
    expect(readFileSync(join(folder.path, 'pages', 'hooks', 'lib', 'kinds.ts'), 'utf8')).toContain("'black' | 'navy'");
  },
);

it('docs/tutorial.md has six steps, and names commands alone that there are', async () => {
  const blocks = blocksOf(TUTORIAL).filter(({ language }) => language === 'sh cluster');
  const commands = blocks.flatMap(({ text }) => [...text.matchAll(/\bhooklet ([a-z ]+)$/gm)].map(([, words]) => words));

  expect(TUTORIAL.match(/^## \d\. /gm)).toHaveLength(6);
  expect(commands).toEqual(['diff hooks', 'status', 'runs list']);
  for (const command of ['diff', 'status', 'runs list']) {
    const { stdout } = await runProgram([...command.split(' '), '--help']);
    expect(stdout).toMatch(new RegExp(`^Usage: hooklet ${command} \\[options`));
  }
});
