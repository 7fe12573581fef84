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
  readonly bytes: number;
}

export interface BuildOptions {
  /** The build context. */
  readonly context: string;
  readonly dockerfile?: string;
  readonly args?: Readonly<Record<string, string>>;
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
  async build(name: string, { context, dockerfile, args = {}, secrets = {} }: BuildOptions): Promise<void> {
    await this.#buildah(
      'bud',
      '--isolation=chroot',
      '--pull-never',
      `--tag=localhost/${name}`,
      ...(dockerfile === undefined ? [] : [`--file=${dockerfile}`]),
      ...Object.entries(args).map(([key, value]) => `--build-arg=${key}=${value}`),
      ...Object.entries(secrets).map(([id, file]) => `--secret=id=${id},src=${file}`),
      context,
    );
  }

  /** Unpacks `localhost/<name>`. */
  async unpack(name: string): Promise<Image> {
    const container = await this.#buildah('from', '--pull-never', `localhost/${name}`);
    const root = await this.#buildah('mount', container);
    const { OCIv1 } = parse<Inspected>(await this.#buildah('inspect', '--type=image', `localhost/${name}`));
    const [listed] = parse<readonly Listed[]>(await this.#buildah('images', '--json', `localhost/${name}`));
    const { Entrypoint = [], Cmd = [], Env = [], User = '' } = OCIv1.config;
    return {
      root,
      command: [...Entrypoint, ...Cmd],
      env: Object.fromEntries(Env.map((pair) => [pair.split('=')[0], pair.slice(pair.indexOf('=') + 1)])),
      user: User,
      bytes: sizeOf(listed?.size ?? ''),
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
    };
  };
}

interface Listed {
  readonly size: string;
}

function parse<T>(text: string): T {
  return JSON.parse(text) as T;
}

/** Parses a size such as `352 MB`. */
function sizeOf(text: string): number {
  const [, number = '0', unit = ''] = /^([\d.]+) (\w?)B$/.exec(text) ?? [];
  return Number(number) * 1000 ** Math.max(0, ['', 'K', 'M', 'G'].indexOf(unit.toUpperCase()));
}
