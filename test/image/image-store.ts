import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { command } from './command.ts';

/** An unpacked image, with the configuration that a container runtime needs. */
export interface Image {
  /** Its root file system. */
  readonly root: string;
  /** Entrypoint and command. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `UID:GID`. */
  readonly user: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Of its files. */
  readonly bytes: number;
}

export interface BuildOptions {
  /** The build context. */
  readonly context: string;
  readonly dockerfile?: string;
  /** The stage to build; the last one when absent. */
  readonly target?: string;
  readonly args?: Readonly<Record<string, string>>;
  /** Images that were built before, by the stages that they stand for. */
  readonly stages?: Readonly<Record<string, string>>;
  /** Files by the ids of secrets. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** Images in a folder of their own, built without a registry. */
export class ImageStore {
  readonly #flags: readonly string[];

  constructor(folder: string) {
    // The storage driver vfs works on every file system.
    this.#flags = ['--storage-driver=vfs', `--root=${join(folder, 'storage')}`, `--runroot=${join(folder, 'run')}`];
  }

  /** Builds `localhost/<name>`. */
  async build(name: string, { context, dockerfile, target, ...options }: BuildOptions): Promise<void> {
    const { args = {}, stages = {}, secrets = {} } = options;
    await this.#buildah(
      'bud',
      '--isolation=chroot',
      '--pull-never',
      `--tag=localhost/${name}`,
      ...(dockerfile === undefined ? [] : [`--file=${dockerfile}`]),
      ...(target === undefined ? [] : [`--target=${target}`]),
      ...Object.entries(args).map(([key, value]) => `--build-arg=${key}=${value}`),
      ...Object.entries(stages).map(
        ([stage, image]) => `--build-context=${stage}=container-image://localhost/${image}`,
      ),
      ...Object.entries(secrets).map(([id, file]) => `--secret=id=${id},src=${file}`),
      context,
    );
  }

  /** Unpacks `localhost/<name>`. */
  async unpack(name: string): Promise<Image> {
    const container = await this.#buildah('from', '--pull-never', `localhost/${name}`);
    const root = await this.#buildah('mount', container);
    const { OCIv1 } = parse<Inspected>(await this.#buildah('inspect', '--type=image', `localhost/${name}`));
    const { Entrypoint = [], Cmd = [], Env = [], User = '', Labels = {} } = OCIv1.config;
    return {
      root,
      command: [...Entrypoint, ...Cmd],
      env: Object.fromEntries(Env.map((pair) => [pair.split('=')[0], pair.slice(pair.indexOf('=') + 1)])),
      user: User,
      labels: Labels,
      bytes: bytesOf(root),
    };
  }

  async #buildah(...args: readonly string[]): Promise<string> {
    return command('nice', ['buildah', ...this.#flags, ...args]);
  }
}

interface Inspected {
  readonly OCIv1: {
    readonly config: {
      readonly Entrypoint?: readonly string[];
      readonly Cmd?: readonly string[];
      readonly Env?: readonly string[];
      readonly User?: string;
      readonly Labels?: Readonly<Record<string, string>>;
    };
  };
}

function parse<T>(text: string): T {
  return JSON.parse(text) as T;
}

/** The sum of the files in a folder, each once. */
function bytesOf(root: string): number {
  const files = new Map<number, number>();
  const folders = [root];
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile()) continue;
      const { ino, size } = lstatSync(path);
      files.set(ino, size);
    }
  }
  return [...files.values()].reduce((sum, size) => sum + size, 0);
}
