/*
 * Stand-ins for the programs that hooks call. Each has a wrapper of its name, first on the PATH of hooks, which runs it and
 * then appends a record to one file. The world reads that file before it writes down anything else, so that calls are in
 * the timeline where they belong. Where a call may be the last thing that a hook does, the file `wait` is there, and a
 * wrapper waits after its record until the world lets it go on. A stand-in that reads its input writes it to the file in
 * `HOOKLET_STDIN`: nobody else may read it, or what a program leaves would be lost to the hook.
 */

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScenarioError } from '../../errors.ts';
import { messageOf } from '../../lib/message-of.ts';

/** A call that has ended. */
export interface EndedCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly exitCode: number;
  readonly run: string;
  /** What the stand-in wrote to the file in `HOOKLET_STDIN`, at most 64 KiB; undefined: it wrote none. */
  readonly stdin: string | undefined;
  /** Lets the hook go on. */
  readonly release: () => void;
}

/** How the n-th call is answered instead. */
export interface OtherAnswer {
  readonly call: number;
  readonly how: 'fail' | 'empty';
}

export interface StandIns {
  /** Comes first on the PATH of hooks. */
  readonly binDir: string;
  /** The calls that have ended since the last time, in their order. */
  take(): readonly EndedCall[];
  /** From now on a call waits until it is released; or no longer. */
  hold(isHeld: boolean): void;
}

export interface StandInsOptions {
  /** Absent: there are none. */
  readonly dir: string | undefined;
  readonly folder: string;
  readonly answer: OtherAnswer | undefined;
  /** Programs by name, with their text, whose calls are not recorded; a stand-in of the same name counts instead. */
  readonly programs?: ReadonlyMap<string, string>;
}

/** Puts wrappers for the executables of `dir` below `folder`. */
export function openStandIns({ dir, folder, answer, programs = new Map() }: StandInsOptions): StandIns {
  const [bin, state] = [join(folder, 'bin'), join(folder, 'calls')];
  for (const path of [bin, state]) mkdirSync(path);
  for (const [name, text] of programs) writeFileSync(join(bin, name), text, { mode: 0o755 });
  if (dir === undefined) return { binDir: bin, take: () => [], hold: () => {} };
  const log = join(state, 'log');
  writeFileSync(log, '');
  writeFileSync(join(state, 'count'), '0\n');
  for (const program of programsIn(dir)) {
    const text = wrapper({ program, path: join(dir, program), state, answer });
    writeFileSync(join(bin, program), text, { mode: 0o755 });
  }
  const reader = new RecordReader(log);
  const wait = join(state, 'wait');
  return {
    binDir: bin,
    take: () => reader.take().map((record) => callOf(record, state)),
    hold: (isHeld) => (isHeld ? writeFileSync(wait, '') : rmSync(wait, { force: true })),
  };
}

function programsIn(standInsDir: string): readonly string[] {
  try {
    return readdirSync(standInsDir).filter((name) => {
      const stat = statSync(join(standInsDir, name));
      return stat.isFile() && (stat.mode & 0o111) !== 0;
    });
  } catch (cause) {
    const reason = messageOf(cause);
    throw new ScenarioError(`the folder of stand-ins ${standInsDir} cannot be read: ${reason}`, { cause });
  }
}

interface Wrapped {
  readonly program: string;
  readonly path: string;
  readonly state: string;
  readonly answer: OtherAnswer | undefined;
}

const END = '\u0004';

/** Without a process of its own beside the stand-in: `test`, `printf` and `read` are built in. */
function wrapper({ program, path, state, answer }: Wrapped): string {
  const name = quoted(program);
  return `#!/bin/sh
d=${quoted(state)}
i=$d/in.$$
${answer === undefined ? called(path) : answered(path, answer)}
c=$?
if [ -e "$d/wait" ]; then w=$d/go.$$; mkfifo "$w"; else w=; fi
printf '%s\\0' ${name} "$c" "\${RUN_ID:-}" "$w" "$i" "$@" '${END}' >> "$d/log"
if [ -n "$w" ]; then read -r _ < "$w"; rm -f "$w"; fi
exit $c
`;
}

function answered(path: string, { call, how }: OtherAnswer): string {
  const instead = how === 'fail' ? "{ echo 'this call fails, as a test asks' >&2; (exit 1); }" : 'true';
  return `read -r n < "$d/count"
n=$((n + 1))
echo "$n" > "$d/count"
if [ "$n" -eq ${call} ]; then ${instead}; else ${called(path)}; fi`;
}

function called(path: string): string {
  return `HOOKLET_STDIN=$i ${quoted(path)} "$@"`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function callOf(record: readonly string[], state: string): EndedCall {
  const [program = '', code = '', run = '', wait = '', input = '', ...args] = record;
  const release = (): void => {
    // Opening waits for the reader, which comes right after its record.
    if (wait.startsWith(state) && existsSync(wait)) void writeFile(wait, '\n').catch(() => {});
  };
  return { program, args, exitCode: Number(code), run, stdin: takeInput(input, state), release };
}

/** The beginning of what a stand-in has read, whose file is removed. */
function takeInput(path: string, state: string): string | undefined {
  if (!path.startsWith(state) || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const chunk = Buffer.alloc(CHUNK);
  const file = openSync(path, 'r');
  try {
    return chunk.toString('utf8', 0, readSync(file, chunk, 0, CHUNK, 0));
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}

const CHUNK = 64 * 1024;
const MAX_PENDING = 16 * 1024 * 1024;

/** Reads records as they are appended. */
class RecordReader {
  readonly #path: string;
  #offset = 0;
  #rest = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
  }

  take(): readonly (readonly string[])[] {
    if (statSync(this.#path, { throwIfNoEntry: false })?.size === this.#offset) return [];
    this.#read();
    const records: string[][] = [];
    const mark = Buffer.from(`\0${END}\0`);
    for (let end = this.#rest.indexOf(mark); end >= 0; end = this.#rest.indexOf(mark)) {
      records.push(this.#rest.subarray(0, end).toString().split('\0'));
      this.#rest = this.#rest.subarray(end + mark.length);
    }
    return records;
  }

  #read(): void {
    const chunk = Buffer.alloc(CHUNK);
    const file = openSync(this.#path, 'r');
    try {
      for (;;) {
        const bytes = readSync(file, chunk, 0, CHUNK, this.#offset);
        if (bytes === 0 || this.#rest.length > MAX_PENDING) return;
        this.#offset += bytes;
        this.#rest = Buffer.concat([this.#rest, chunk.subarray(0, bytes)]);
      }
    } finally {
      closeSync(file);
    }
  }
}
