import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  statSync,
  truncateSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { writeContextFile } from './context-file.ts';
import { explainSize } from './output-limits.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FILE_MODE = constants.S_IFREG | PRIVATE_FILE;
const CONTEXT = 'binding-context.json';
const OUTPUTS = {
  metrics: 'metrics.json',
  patch: 'object-patch',
  admission: 'admission-response.json',
  conversion: 'conversion-response.json',
} as const;
const OUTPUT_NAMES = ['patch', 'metrics', 'admission', 'conversion'] as const;

/** What a hook wrote, as text; empty where it wrote nothing. */
export interface HookOutputs {
  readonly patch: string;
  readonly metrics: string;
  readonly admission: string;
  readonly conversion: string;
}

/** The files of one run. */
export interface Workspace {
  /** The variables that tell the hook where its files are. */
  readonly env: Readonly<Record<string, string>>;
  readOutputs(): HookOutputs;
  /** Takes away what was written; for every workspace, once the hook has ended. */
  close(): void;
}

export interface WorkspacesOptions {
  /** Where the files lie; nobody else may enter it. */
  readonly folder: string;
  /** Leaves all files of each run where they are. */
  readonly keepTmpFiles: boolean;
}

/**
 * Gives each run its files. What a run leaves serves the next run of the same hook, outputs only if they are empty: ext4
 * takes the longer to make a file the more of them were removed within the last minutes.
 */
export class Workspaces {
  readonly #options: WorkspacesOptions;
  /** What the names of files begin with, of no run at the moment, by hook. */
  readonly #free = new Map<string, string[]>();
  #count = 0;

  constructor(options: WorkspacesOptions) {
    this.#options = options;
  }

  /** Writes the binding contexts, given in pieces, and sees to an empty file for each thing the hook may have to say. */
  async open(hook: string, contexts: readonly Uint8Array[]): Promise<Workspace> {
    const prefix = this.#free.get(hook)?.pop() ?? this.#newPrefix(hook);
    try {
      for (const name of OUTPUT_NAMES) provideFile(prefix + OUTPUTS[name], 0);
      provideFile(prefix + CONTEXT, Infinity);
      await writeContextFile(prefix + CONTEXT, contexts);
    } catch (error) {
      removeAll(prefix);
      throw error;
    }
    return {
      env: environment(prefix),
      readOutputs: () => ({
        patch: readOutput(prefix, 'patch'),
        metrics: readOutput(prefix, 'metrics'),
        admission: readOutput(prefix, 'admission'),
        conversion: readOutput(prefix, 'conversion'),
      }),
      close: () => this.#close(hook, prefix),
    };
  }

  #close(hook: string, prefix: string): void {
    if (this.#options.keepTmpFiles) return;
    clearContext(prefix + CONTEXT);
    for (const name of OUTPUT_NAMES) removeWritten(prefix + OUTPUTS[name]);
    const free = this.#free.get(hook);
    if (free === undefined) this.#free.set(hook, [prefix]);
    else free.push(prefix);
  }

  #newPrefix(hook: string): string {
    const name = hook.replaceAll(/[^\w.-]+/g, '-').slice(0, 80);
    return join(this.#options.folder, `${name}-${++this.#count}-`);
  }
}

/** The file may be there from an earlier run; what that left running may have written to it since. */
function provideFile(path: string, mostBytes: number): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) {
    if (isOurs(stats) && stats.size <= mostBytes) return;
    removeFile(path);
  }
  closeSync(openSync(path, 'wx', PRIVATE_FILE));
}

function removeWritten(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !(isOurs(stats) && stats.size === 0)) removeFile(path);
}

function clearContext(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  // Of a file that was cut to nothing, ext4 would write the next content to the disk at once.
  if (isOurs(stats)) truncateSync(path, 1);
  else removeFile(path);
}

/** Whether the file is as it was made: the hook has put nothing in its place, nor kept it under another name. */
function isOurs({ mode, nlink }: Stats): boolean {
  return mode === PRIVATE_FILE_MODE && nlink === 1;
}

function environment(prefix: string): Readonly<Record<string, string>> {
  const admission = prefix + OUTPUTS.admission;
  return {
    BINDING_CONTEXT_PATH: prefix + CONTEXT,
    METRICS_PATH: prefix + OUTPUTS.metrics,
    KUBERNETES_PATCH_PATH: prefix + OUTPUTS.patch,
    VALIDATING_RESPONSE_PATH: admission,
    ADMISSION_RESPONSE_PATH: admission,
    CONVERSION_RESPONSE_PATH: prefix + OUTPUTS.conversion,
  };
}

/** A file the hook deleted says nothing; one that it replaced by something else than a file is an error. */
function readOutput(prefix: string, name: keyof HookOutputs): string {
  const file = prefix + OUTPUTS[name];
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || (stats.isFile() && stats.size === 0)) return '';
  // A pipe would be waited for without end.
  if (!stats.isFile()) throw new Error(`${file} is not a file any more`);
  const problem = explainSize(name, stats.size);
  if (problem !== undefined) throw new Error(problem);
  return readFileSync(file, 'utf8');
}

function removeAll(prefix: string): void {
  removeFile(prefix + CONTEXT);
  for (const name of OUTPUT_NAMES) removeFile(prefix + OUTPUTS[name]);
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The hook deleted it, or put a folder in its place; this is the slower way.
    rmSync(path, { recursive: true, force: true });
  }
}
