/*
 * The files of each run of a process hook: the binding contexts to read, and one file for each kind of output to write.
 * `process-executor.ts` opens a workspace before a run, reads its outputs when the hook has exited, and always closes
 * it. What must hold: nobody but the operator's user can read the files, and a process that a run leaves behind cannot
 * affect a later run, because every run gets a new folder with an unpredictable name. Closed files are removed in the
 * next turn of the event loop, because who waits for the run should not wait for a file system too.
 */

import { closeSync, lstatSync, mkdtempSync, openSync, renameSync, unlinkSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { nextTurn } from '../lib/turn.ts';
import { writeContextFile } from './context-file.ts';
import { readOutput } from './read-output.ts';

const PRIVATE_FILE = 0o600;
const CONTEXT = 'binding-context.json';
const OUTPUTS = {
  patch: 'object-patch',
  metrics: 'metrics.json',
  admission: 'admission-response.json',
  conversion: 'conversion-response.json',
  result: 'result.json',
} as const;
const FILES = [CONTEXT, ...Object.values(OUTPUTS)];

/** The names of the files of a run in their folder. */
export const RUN_FILES = { context: CONTEXT, outputs: OUTPUTS } as const;

// Freeing the space of a large file is slow, so it must not block the event loop.
const SYNC_REMOVE_BYTES = 1024 * 1024;

/** The outputs of a hook, as text; empty when it wrote nothing. */
export interface HookOutputs {
  readonly patch: string;
  readonly metrics: string;
  readonly admission: string;
  readonly conversion: string;
  /** How the run ended, in the words of the hook. */
  readonly result: string;
}

/** The files of one run. */
export interface Workspace {
  /** The environment variables with the paths of the files. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the folder still exists: somebody may clear the temporary folder. */
  isThere(): boolean;
  readOutputs(): Promise<HookOutputs>;
  /** Reads the file `RESULT_PATH` alone. */
  readResult(): Promise<string>;
  /** Removes the files soon; must be called for every workspace, once the hook has ended. */
  close(): void;
}

export interface WorkspacesOptions {
  /** The folder of all workspaces; only this user may access it. */
  readonly folder: string;
  /** Keeps the files of each run. */
  readonly keepTmpFiles: boolean;
}

/** Creates a workspace for each run; see above. */
export class Workspaces {
  readonly #options: WorkspacesOptions;
  #count = 0;

  constructor(options: WorkspacesOptions) {
    this.#options = options;
  }

  /**
   * Creates a workspace with the binding contexts, given as chunks, and an empty file for each output; rejects with the
   * error of the system.
   */
  async open(hook: string, contexts: readonly Uint8Array[]): Promise<Workspace> {
    const name = hook.replaceAll(/[^\w.-]+/g, '-').slice(0, 80);
    const folder = mkdtempSync(join(this.#options.folder, `${name}-${++this.#count}-`));
    try {
      for (const file of Object.values(OUTPUTS)) closeSync(openSync(join(folder, file), 'wx', PRIVATE_FILE));
      await writeContextFile(join(folder, CONTEXT), contexts);
    } catch (error) {
      void removeFolder(folder);
      throw error;
    }
    return {
      env: runEnvironment(folder),
      isThere: () => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true,
      readOutputs: async () => readRunOutputs(folder),
      readResult: async () => readResult(folder),
      close: () => {
        if (!this.#options.keepTmpFiles) void nextTurn().then(async () => removeFolder(folder));
      },
    };
  }
}

/** The environment variables with the paths of the files in a folder. */
export function runEnvironment(folder: string): Readonly<Record<string, string>> {
  const admission = join(folder, OUTPUTS.admission);
  return {
    BINDING_CONTEXT_PATH: join(folder, CONTEXT),
    METRICS_PATH: join(folder, OUTPUTS.metrics),
    KUBERNETES_PATCH_PATH: join(folder, OUTPUTS.patch),
    VALIDATING_RESPONSE_PATH: admission,
    ADMISSION_RESPONSE_PATH: admission,
    CONVERSION_RESPONSE_PATH: join(folder, OUTPUTS.conversion),
    RESULT_PATH: join(folder, OUTPUTS.result),
  };
}

/** Reads the outputs in a folder; rejects when one was replaced, or is too large. */
export async function readRunOutputs(folder: string): Promise<HookOutputs> {
  return {
    patch: await readOutput(join(folder, OUTPUTS.patch), 'patch'),
    metrics: await readOutput(join(folder, OUTPUTS.metrics), 'metrics'),
    admission: await readOutput(join(folder, OUTPUTS.admission), 'admission'),
    conversion: await readOutput(join(folder, OUTPUTS.conversion), 'conversion'),
    result: await readResult(folder),
  };
}

async function readResult(folder: string): Promise<string> {
  return readOutput(join(folder, OUTPUTS.result), 'result');
}

/** Never rejects. Large or unexpected contents are removed under another name. */
async function removeFolder(folder: string): Promise<void> {
  try {
    for (const file of FILES) removeFile(join(folder, file));
    // Some file systems wait for the disk here.
    await rmdir(folder);
  } catch {
    await removeAside(folder);
  }
}

function removeFile(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.size > SYNC_REMOVE_BYTES) throw new Error(`${path} is large`);
  unlinkSync(path);
}

async function removeAside(folder: string): Promise<void> {
  const away = join(dirname(folder), `.gone-${basename(folder)}`);
  try {
    renameSync(folder, away);
    await rm(away, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // It was removed already, or a process that the run left behind still writes there: the rest is removed with the
    // operator's folder.
  }
}
