import { closeSync, lstatSync, mkdtempSync, openSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeContextFile } from './context-file.ts';
import { readOutput } from './read-output.ts';

const PRIVATE_FILE = 0o600;
const CONTEXT = 'binding-context.json';
const OUTPUTS = {
  patch: 'object-patch',
  metrics: 'metrics.json',
  admission: 'admission-response.json',
  conversion: 'conversion-response.json',
} as const;
const FILES = [CONTEXT, ...Object.values(OUTPUTS)];
// The system takes its time to give back the room of a large file: others do not wait for that.
const SYNC_REMOVE_BYTES = 1024 * 1024;

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
  /** Whether the files are still where they were made: somebody may clear the temporary folder. */
  isThere(): boolean;
  readOutputs(): Promise<HookOutputs>;
  /** Takes everything away; for every workspace, once the hook has ended. */
  close(): void;
}

export interface WorkspacesOptions {
  /** Where the files lie; nobody else may enter it. */
  readonly folder: string;
  /** Leaves all files of each run where they are. */
  readonly keepTmpFiles: boolean;
}

/**
 * Gives each run files of its own, in a folder whose name was never used and cannot be guessed. What a run leaves behind
 * knows names and files that are gone, and cannot speak for a later run.
 */
export class Workspaces {
  readonly #options: WorkspacesOptions;
  #count = 0;

  constructor(options: WorkspacesOptions) {
    this.#options = options;
  }

  /** Writes the binding contexts, given in pieces, and an empty file for each thing the hook may have to say. */
  async open(hook: string, contexts: readonly Uint8Array[]): Promise<Workspace> {
    const name = hook.replaceAll(/[^\w.-]+/g, '-').slice(0, 80);
    const folder = mkdtempSync(join(this.#options.folder, `${name}-${++this.#count}-`));
    try {
      for (const file of Object.values(OUTPUTS)) closeSync(openSync(join(folder, file), 'wx', PRIVATE_FILE));
      await writeContextFile(join(folder, CONTEXT), contexts);
    } catch (error) {
      removeFolder(folder);
      throw error;
    }
    return {
      env: environment(folder),
      isThere: () => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true,
      readOutputs: async () => readOutputs(folder),
      close: () => {
        if (!this.#options.keepTmpFiles) removeFolder(folder);
      },
    };
  }
}

function environment(folder: string): Readonly<Record<string, string>> {
  const admission = join(folder, OUTPUTS.admission);
  return {
    BINDING_CONTEXT_PATH: join(folder, CONTEXT),
    METRICS_PATH: join(folder, OUTPUTS.metrics),
    KUBERNETES_PATCH_PATH: join(folder, OUTPUTS.patch),
    VALIDATING_RESPONSE_PATH: admission,
    ADMISSION_RESPONSE_PATH: admission,
    CONVERSION_RESPONSE_PATH: join(folder, OUTPUTS.conversion),
  };
}

async function readOutputs(folder: string): Promise<HookOutputs> {
  return {
    patch: await readOutput(join(folder, OUTPUTS.patch), 'patch'),
    metrics: await readOutput(join(folder, OUTPUTS.metrics), 'metrics'),
    admission: await readOutput(join(folder, OUTPUTS.admission), 'admission'),
    conversion: await readOutput(join(folder, OUTPUTS.conversion), 'conversion'),
  };
}

/** The folder is out of reach when this returns; what is large or unexpected in it is removed in the background. */
function removeFolder(folder: string): void {
  try {
    for (const file of FILES) removeFile(join(folder, file));
    rmdirSync(folder);
  } catch {
    removeInBackground(folder);
  }
}

function removeFile(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.size > SYNC_REMOVE_BYTES) throw new Error(`${path} is large`);
  unlinkSync(path);
}

function removeInBackground(folder: string): void {
  const away = join(dirname(folder), `.gone-${basename(folder)}`);
  try {
    renameSync(folder, away);
  } catch {
    // Somebody else removed it.
    return;
  }
  // What a run left behind may still write there; the rest goes with the folder of the operator.
  rm(away, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
}
