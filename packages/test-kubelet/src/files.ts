import { renameSync, writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A file of a volume that is made from objects. */
export interface VolumeFile {
  readonly path: string;
  readonly content: Uint8Array | string;
  readonly mode: number;
}

/**
 * Writes the files of a volume atomically for its readers: they are links into a folder that is replaced, as in a real
 * kubelet.
 */
export async function writeVolume(folder: string, files: readonly VolumeFile[], group?: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const content = await mkdtemp(join(folder, '..new-'));
  await chmod(content, 0o755);
  for (const { path, content: bytes, mode } of files) {
    const target = join(content, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, bytes);
    await chmod(target, group === undefined ? mode : mode | ((mode & 0o600) >> 3));
    if (group !== undefined) await chown(target, 0, group);
  }
  const before = await readlink(join(folder, '..data')).catch(() => undefined);
  await symlink(basename(content), join(folder, '..data.new'));
  await rename(join(folder, '..data.new'), join(folder, '..data'));
  await linkTops(folder, new Set(files.map(({ path }) => path.split('/')[0] ?? path)));
  if (before !== undefined) await rm(join(folder, before), { recursive: true, force: true });
}

/** Replaces a file atomically for its readers. */
export function replaceFile(path: string, content: string): void {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

async function linkTops(folder: string, tops: ReadonlySet<string>): Promise<void> {
  const present = new Set((await readdir(folder)).filter((name) => !name.startsWith('..')));
  for (const name of tops) if (!present.has(name)) await symlink(join('..data', name), join(folder, name));
  for (const name of present) if (!tops.has(name)) await rm(join(folder, name));
}
