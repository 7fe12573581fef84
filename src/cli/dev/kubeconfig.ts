import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { readYaml } from '../../lib/yaml.ts';
import { messageOf } from '../../lib/message-of.ts';
import { isObject } from '../../lib/json-object.ts';

/** The file of `--kubeconfig`; it is removed when it is disposed of, and when a second Ctrl-C ends the process. */
export interface WrittenKubeconfig extends Disposable {
  /** The absolute path. */
  readonly path: string;
}

/**
 * Writes the kubeconfig of a sandbox for other terminals, readable only by this user. An existing file is replaced only
 * if it is the kubeconfig of a sandbox that has ended; throws `UsageError` for any other, which may be the only access
 * to a real cluster.
 */
export async function writeKubeconfig(given: string, text: string): Promise<WrittenKubeconfig> {
  const path = resolve(given);
  const server = serverOf(text);
  await refuseOther(given, path, server);
  replaceFile(given, path, text);
  const remove = (): void => {
    process.off('exit', remove);
    // Another file may have taken its place.
    if (isServedBy(path, server)) rmSync(path, { force: true });
  };
  process.on('exit', remove);
  return { path, [Symbol.dispose]: remove };
}

async function refuseOther(given: string, path: string, own: string | undefined): Promise<void> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  // Only a regular file is read: reading a pipe would block.
  const server = stats.isFile() && stats.size <= MAX_BYTES ? serverOf(readText(given, path)) : undefined;
  if (server === undefined || hostOf(server) !== hostOf(own)) {
    throw new UsageError(
      `--kubeconfig: ${given} exists and was not written by hooklet dev; name another file, or move it away`,
    );
  }
  if (await answers(server)) {
    throw new UsageError(
      `--kubeconfig: ${given} belongs to another hooklet dev, which serves ${server}; name another file`,
    );
  }
}

const MAX_BYTES = 64 * 1024;

function readText(given: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(`--kubeconfig: ${given} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** The server URL, if the text is the kubeconfig of a sandbox and has no other cluster or user. */
function serverOf(text: string): string | undefined {
  const [document] = readYaml(text);
  const config = document?.type === 'value' && isObject(document.value) ? document.value : {};
  const entry = onlyElement(config['clusters']);
  if (onlyElement(config['users']) === undefined || entry?.['name'] !== CLUSTER) return undefined;
  const server = isObject(entry['cluster']) ? entry['cluster']['server'] : undefined;
  return typeof server === 'string' ? server : undefined;
}

function onlyElement(list: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!Array.isArray(list) || list.length !== 1) return undefined;
  const element: unknown = list[0];
  return isObject(element) ? element : undefined;
}

// The name of the cluster in the kubeconfig of a sandbox.
const CLUSTER = 'sandbox';

/** The URL without its port, which is another one each time. */
function hostOf(server: string | undefined): string | undefined {
  const url = server === undefined || !URL.canParse(server) ? undefined : new URL(server);
  return url && `${url.protocol}//${url.hostname}`;
}

const ANSWER_LIMIT_MS = 1000;

async function answers(server: string): Promise<boolean> {
  try {
    await fetch(server, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS), redirect: 'manual' });
    return true;
  } catch {
    return false;
  }
}

/** Replaces the file by a rename, so that no reader sees half of it, and no other user can read it at any time. */
function replaceFile(given: string, path: string, text: string): void {
  const fresh = `${path}.${randomUUID()}`;
  try {
    writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' });
    renameSync(fresh, path);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw new UsageError(`--kubeconfig: ${given} cannot be written: ${messageOf(cause)}`, { cause });
  }
}

function isServedBy(path: string, server: string | undefined): boolean {
  try {
    return serverOf(readFileSync(path, 'utf8')) === server;
  } catch {
    return false;
  }
}
