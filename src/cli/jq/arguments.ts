// jq's command line has a parser of its own, because no library reads what jq takes: options with two values
// (`--arg NAME VALUE`), each of which may begin with a dash (`--argjson n -1`); `--args` and `--jsonargs`, which change
// what later words are; and options between the words. Hooks made for jq depend on all of them. In commander an option
// has one value or as many as follow, in `parseArgs` of node:util one value without a dash.

import { type JsonTextOptions, type JsonValue, parseJson } from '@hooklet/jq';
import { UsageError } from '../../errors.ts';

/** A parsed jq command line. */
export interface JqArguments {
  /** The program text, or the file that contains it. */
  readonly program: { readonly text: string } | { readonly file: string };
  /** Input files; empty: standard input. */
  readonly files: readonly string[];
  readonly flags: ReadonlySet<JqFlag>;
  readonly format: JsonTextOptions;
  /** Values of `--arg` and `--argjson`. */
  readonly named: Readonly<Record<string, JsonValue>>;
  /** Files of `--slurpfile` and `--rawfile`, by variable. */
  readonly namedFiles: readonly NamedFile[];
  /** Values after `--args` and `--jsonargs`. */
  readonly positional: readonly JsonValue[];
}

export interface NamedFile {
  readonly name: string;
  readonly path: string;
  readonly isRaw: boolean;
}

export type JqFlag =
  | 'help'
  | 'null-input'
  | 'raw-input'
  | 'slurp'
  | 'raw-output'
  | 'join-output'
  | 'exit-status'
  | 'seq'
  | 'stream'
  | 'raw-output0';

/**
 * Parses the arguments of `hooklet jq`, which are those of jq; throws `UsageError` for arguments that jq refuses, too.
 */
export function parseJqArguments(args: readonly string[]): JqArguments {
  const parser = new ArgumentParser(args);
  parser.parse();
  return parser.result();
}

const SHORT_OPTIONS: Readonly<Record<string, string>> = {
  a: 'ascii-output',
  C: 'color-output',
  c: 'compact-output',
  e: 'exit-status',
  f: 'from-file',
  h: 'help',
  j: 'join-output',
  M: 'monochrome-output',
  n: 'null-input',
  R: 'raw-input',
  r: 'raw-output',
  S: 'sort-keys',
  s: 'slurp',
};

const FLAGS: Readonly<Record<string, JqFlag>> = {
  'exit-status': 'exit-status',
  help: 'help',
  'join-output': 'join-output',
  'null-input': 'null-input',
  'raw-input': 'raw-input',
  'raw-output': 'raw-output',
  'raw-output0': 'raw-output0',
  seq: 'seq',
  slurp: 'slurp',
  stream: 'stream',
};

// Options without an effect: output is never colored, and always written immediately.
const IGNORED: ReadonlySet<string> = new Set(['color-output', 'monochrome-output', 'unbuffered']);

const MAX_INDENT = 7;

/** The state of the parser while it reads one command line. */
class ArgumentParser {
  readonly #args: readonly string[];
  #index = 0;
  readonly #words: string[] = [];
  readonly #flags = new Set<JqFlag>();
  readonly #named: Record<string, JsonValue> = {};
  readonly #namedFiles: NamedFile[] = [];
  readonly #positional: JsonValue[] = [];
  #positionals: 'files' | 'strings' | 'json' = 'files';
  #isFromFile = false;
  readonly #format: { indent: string; sortKeys: boolean; ascii: boolean } = {
    indent: '  ',
    sortKeys: false,
    ascii: false,
  };

  readonly #actions: Readonly<Record<string, () => void>> = {
    'ascii-output': () => (this.#format.ascii = true),
    'compact-output': () => (this.#format.indent = ''),
    'sort-keys': () => (this.#format.sortKeys = true),
    'from-file': () => (this.#isFromFile = true),
    args: () => (this.#positionals = 'strings'),
    jsonargs: () => (this.#positionals = 'json'),
    tab: () => (this.#format.indent = '\t'),
    indent: () => (this.#format.indent = ' '.repeat(indentWidth(this.#value('--indent')))),
    arg: () => {
      const name = this.#value('--arg');
      this.#named[name] = this.#value('--arg');
    },
    argjson: () => {
      const name = this.#value('--argjson');
      this.#named[name] = jsonArgument(this.#value('--argjson'), `--argjson ${name}`);
    },
    slurpfile: () => {
      const name = this.#value('--slurpfile');
      this.#namedFiles.push({ name, path: this.#value('--slurpfile'), isRaw: false });
    },
    rawfile: () => {
      const name = this.#value('--rawfile');
      this.#namedFiles.push({ name, path: this.#value('--rawfile'), isRaw: true });
    },
  };

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  parse(): void {
    let areOptionsOver = false;
    while (this.#index < this.#args.length) {
      const arg = this.#value('');
      if (areOptionsOver || !/^-./.test(arg)) this.#word(arg);
      else if (arg === '--') areOptionsOver = true;
      else if (arg.startsWith('--')) this.#option(arg.slice(2), arg);
      else for (const letter of arg.slice(1)) this.#option(SHORT_OPTIONS[letter] ?? '', arg);
    }
  }

  result(): JqArguments {
    const [first = '', ...rest] = this.#words;
    if (this.#words.length === 0 && !this.#flags.has('help'))
      throw new UsageError('jq: a program is required: hooklet jq [-c -r -n -s -e …] PROGRAM [FILE…]');
    return {
      program: this.#isFromFile ? { file: first } : { text: first },
      files: rest,
      flags: this.#flags,
      format: this.#format,
      named: this.#named,
      namedFiles: this.#namedFiles,
      positional: this.#positional,
    };
  }

  #option(name: string, arg: string): void {
    const flag = FLAGS[name];
    const action = Object.hasOwn(this.#actions, name) ? this.#actions[name] : undefined;
    if (flag !== undefined) this.#flags.add(flag);
    else if (action !== undefined) action();
    else if (!IGNORED.has(name)) throw new UsageError(`jq: unknown option ${arg}`);
  }

  /** The first positional argument is the program; after `--args` and `--jsonargs` the others are values, not files. */
  #word(word: string): void {
    if (this.#words.length === 0 || this.#positionals === 'files') this.#words.push(word);
    else this.#positional.push(this.#positionals === 'json' ? jsonArgument(word, '--jsonargs') : word);
  }

  #value(option: string): string {
    const value = this.#args[this.#index];
    if (value === undefined) throw new UsageError(`jq: ${option} takes a value that is missing`);
    this.#index += 1;
    return value;
  }
}

function indentWidth(text: string): number {
  const width = Number(text);
  if (!Number.isInteger(width) || width < 0 || width > MAX_INDENT) {
    throw new UsageError(`jq: --indent takes a number from 0 to ${MAX_INDENT}, not ${JSON.stringify(text)}`);
  }
  return width;
}

function jsonArgument(text: string, option: string): JsonValue {
  try {
    return parseJson(text, 1, 'literals');
  } catch (cause) {
    throw new UsageError(`jq: invalid JSON text passed to ${option}: ${text}`, { cause });
  }
}
