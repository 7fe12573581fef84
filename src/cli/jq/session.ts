import { compileJq, JqError, JqHalt, type JqProgram, jsonText, type JsonValue } from '@hooklet/jq';
import { streamEvents } from '@hooklet/jq/stream';
import type { JqArguments } from './arguments.ts';
import { fileErrorText, parseSlurpFile, readJqFile } from './files.ts';
import { JqInputError, readJson, readLines, readText, type InputSource, type JqInput } from './input.ts';

/** The streams, files and environment of a `jq` command. */
export interface JqIo {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly readFile: (path: string) => Promise<Uint8Array>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The exit code for wrong usage, or for input that cannot be read. */
export const EXIT_USAGE = 2;
const EXIT_NULL_OUTPUT = 1;
const EXIT_NO_OUTPUT = 4;
const EXIT_ERROR = 5;

/** The state of one invocation: the exit code so far, the last output, and the current input. */
export class JqSession {
  readonly #args: JqArguments;
  readonly #io: JqIo;
  #exitCode = 0;
  #lastOutput: JsonValue | undefined;
  #current: JqInput | undefined;
  /** Inputs that were read in advance, for a program that calls `input` or `inputs`. */
  #ahead: JqInput[] = [];

  constructor(args: JqArguments, io: JqIo) {
    this.#args = args;
    this.#io = io;
  }

  async run(): Promise<number> {
    const { flags } = this.#args;
    const source = await this.#programText();
    const program = await this.#compile(source);
    try {
      // A program runs synchronously, so the inputs that it may ask for must have been read.
      const asksForInputs = /\binputs?\b/.test(source);
      if (asksForInputs) this.#ahead = await this.#readAll();
      if (flags.has('null-input')) this.#apply(program, { value: null, source: undefined, line: 0 });
      else if (asksForInputs) this.#applyAhead(program);
      else for await (const input of this.#inputs()) this.#apply(program, input);
    } catch (error) {
      return this.#end(error);
    }
    return this.#finalCode();
  }

  async #programText(): Promise<string> {
    const { program } = this.#args;
    if ('text' in program) return program.text;
    return readJqFile(program.file, this.#io.readFile);
  }

  async #compile(source: string): Promise<JqProgram> {
    const { named, namedFiles, positional } = this.#args;
    const variables: Record<string, JsonValue> = { ...named };
    for (const { name, path, isRaw } of namedFiles) {
      const text = await readJqFile(path, this.#io.readFile);
      variables[name] = isRaw ? text : parseSlurpFile(text, path);
    }
    variables['ARGS'] = { positional, named: { ...variables } };
    const environment: Record<string, JsonValue> = {};
    for (const [name, value] of Object.entries(this.#io.env)) environment[name] = value ?? null;
    return compileJq(source, {
      numbers: 'literals',
      variables,
      environment,
      host: {
        nextInput: () => this.#next()?.value,
        debug: (value) => this.#io.stderr(`${jsonText(['DEBUG:', value])}\n`),
        stderr: (value) => this.#io.stderr(jsonText(value)),
        inputFilename: () => this.#current?.source ?? null,
        inputLineNumber: () => this.#current?.line ?? 0,
      },
    });
  }

  async *#inputs(): AsyncGenerator<JqInput, void, void> {
    const { flags } = this.#args;
    const isRaw = flags.has('raw-input');
    if (flags.has('slurp')) {
      const value = isRaw
        ? await readText(this.#sources())
        : (await collect(readJson(this.#sources()))).map((input) => input.value);
      yield { value, source: undefined, line: 0 };
      return;
    }
    for await (const input of isRaw ? readLines(this.#sources()) : readJson(this.#sources())) {
      if (!flags.has('stream')) yield input;
      else for (const event of streamEvents(input.value)) yield { ...input, value: event };
    }
  }

  async *#sources(): AsyncGenerator<InputSource, void, void> {
    const { files } = this.#args;
    if (files.length === 0) yield { name: undefined, chunks: this.#io.stdin };
    for (const name of files) {
      try {
        const bytes = await this.#io.readFile(name);
        yield { name, chunks: once(bytes) };
      } catch (error) {
        this.#io.stderr(`jq: error: Could not open ${name}: ${fileErrorText(error)}\n`);
        this.#exitCode = EXIT_USAGE;
      }
    }
  }

  async #readAll(): Promise<JqInput[]> {
    return collect(this.#inputs());
  }

  #next(): JqInput | undefined {
    const input = this.#ahead.shift();
    if (input !== undefined) this.#current = input;
    return input;
  }

  #applyAhead(program: JqProgram): void {
    for (let input = this.#next(); input !== undefined; input = this.#next()) this.#apply(program, input);
  }

  #apply(program: JqProgram, input: JqInput): void {
    this.#current = input;
    try {
      program.run(input.value, (output) => this.#print(output));
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
      this.#exitCode = EXIT_ERROR;
      const separator = typeof error.value === 'string' ? ': ' : ' ';
      this.#io.stderr(`jq: error (at ${this.#place()})${separator}${error.message}\n`);
    }
  }

  #place(): string {
    if (this.#args.flags.has('null-input') && this.#current?.source === undefined && this.#current?.line === 0)
      return '<unknown>';
    return `${this.#current?.source ?? '<stdin>'}:${this.#current?.line ?? 0}`;
  }

  #print(output: JsonValue): void {
    const { flags, format } = this.#args;
    this.#lastOutput = output;
    const isRaw = flags.has('raw-output') || flags.has('join-output') || flags.has('raw-output0');
    const text = isRaw && typeof output === 'string' && format.ascii !== true ? output : jsonText(output, format);
    const end = flags.has('join-output') ? '' : flags.has('raw-output0') ? '\0' : '\n';
    this.#io.stdout(`${flags.has('seq') ? '\u001e' : ''}${text}${end}`);
  }

  #end(error: unknown): number {
    if (error instanceof JqInputError) {
      this.#io.stderr(`jq: parse error: ${error.message}\n`);
      return EXIT_USAGE;
    }
    if (!(error instanceof JqHalt)) throw error;
    const { output, exitCode } = error;
    if (output !== undefined) this.#io.stderr(typeof output === 'string' ? output : `${jsonText(output)}\n`);
    return exitCode;
  }

  #finalCode(): number {
    if (this.#exitCode !== 0 || !this.#args.flags.has('exit-status')) return this.#exitCode;
    if (this.#lastOutput === undefined) return EXIT_NO_OUTPUT;
    return this.#lastOutput === null || this.#lastOutput === false ? EXIT_NULL_OUTPUT : 0;
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}
