import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { isObject } from '../hook/config-reader.ts';
import { readYaml } from '../lib/yaml.ts';

/** The file of `--kubeconfig`, which goes when it is disposed of, also when a second Ctrl-C cuts the session short. */
export interface WrittenKubeconfig extends Disposable {
  /** Absolute. */
  readonly path: string;
}

/**
 * Writes the kubeconfig of a sandbox for other terminals, readable for this user alone. A file that is there is replaced
 * only if it is that of a sandbox that has ended: throws `UsageError` for any other, which may be how to reach a cluster.
 */
export async function writeKubeconfig(given: string, text: string): Promise<WrittenKubeconfig> {
  const path = resolve(given);
  const server = serverOf(text);
  await refuseOther(given, path, server);
  replaceFile(given, path, text);
  const remove = (): void => {
    process.off('exit', remove);
    // Another one may have been put in its place.
    if (isServedBy(path, server)) rmSync(path, { force: true });
  };
  process.on('exit', remove);
  return { path, [Symbol.dispose]: remove };
}

async function refuseOther(given: string, path: string, own: string | undefined): Promise<void> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  // A pipe would be waited for.
  const server = stats.isFile() && stats.size <= MAX_BYTES ? serverOf(readText(given, path)) : undefined;
  if (server === undefined || hostOf(server) !== hostOf(own)) {
    throw new UsageError(
      `--kubeconfig: ${given} is there and was not written by hooklet dev; name another file, or move it away`,
    );
  }
  if (await answers(server)) {
    throw new UsageError(
      `--kubeconfig: ${given} is that of another hooklet dev, which serves ${server}; name another file`,
    );
  }
}

const MAX_BYTES = 64 * 1024;

function readText(given: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(`--kubeconfig: ${given} cannot be read: ${reasonOf(cause)}`, { cause });
  }
}

/** The server of the one cluster, if the text is a kubeconfig of a sandbox and holds nothing else. */
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

// As the sandbox calls its cluster.
const CLUSTER = 'sandbox';

/** Without its port, which differs from session to session. */
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

/** At once, so that no reader sees half of it, and with its mode from the beginning. */
function replaceFile(given: string, path: string, text: string): void {
  const fresh = `${path}.${randomUUID()}`;
  try {
    writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' });
    renameSync(fresh, path);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw new UsageError(`--kubeconfig: ${given} cannot be written: ${reasonOf(cause)}`, { cause });
  }
}

function isServedBy(path: string, server: string | undefined): boolean {
  try {
    return serverOf(readFileSync(path, 'utf8')) === server;
  } catch {
    return false;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
