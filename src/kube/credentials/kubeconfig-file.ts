import { dirname, isAbsolute, join } from 'node:path';
import { messageOf } from '../../lib/message-of.ts';

// Imported by its file, because loading the whole package takes half a second.
import {
  newClusters,
  newContexts,
  newUsers,
  type Cluster,
  type Context as ContextEntry,
  type User,
} from '@kubernetes/client-node/dist/config_types.js';

import { CredentialsError } from '../../errors.ts';
import { requireKubeconfigShape } from './kubeconfig-shape.ts';
import { readSmallFile } from './read-file.ts';

/** A cluster, with the fields that the parser drops. */
export interface ClusterEntry extends Cluster {
  /** The cluster's configuration for exec plugins, from its `extensions`. */
  readonly execConfig?: unknown;
}

/** A user, with the fields that the parser drops. */
export interface UserEntry extends User {
  readonly tokenFile?: string;
  readonly impersonateUid?: string;
  readonly impersonateGroups?: readonly string[];
  readonly impersonateExtra?: Readonly<Record<string, readonly string[]>>;
}

/** One kubeconfig file; its paths are absolute. */
export interface KubeconfigFile {
  readonly path: string;
  readonly currentContext: string;
  readonly contexts: readonly ContextEntry[];
  readonly clusters: readonly ClusterEntry[];
  readonly users: readonly UserEntry[];
}

/** Reads one kubeconfig file; rejects with a `CredentialsError` that names every problem. */
export async function readKubeconfigFile(path: string): Promise<KubeconfigFile> {
  const document = await parseDocument(path, await readText(path));
  const directory = dirname(path);
  const rawClusters = new Map(document.clusters?.map(({ name, cluster }) => [name, cluster ?? {}]));
  const rawUsers = new Map(document.users?.map(({ name, user }) => [name, user ?? {}]));
  try {
    return {
      path,
      currentContext: document['current-context'] ?? '',
      contexts: newContexts(document.contexts),
      clusters: newClusters(document.clusters).map((cluster) =>
        completeCluster(cluster, rawClusters.get(cluster.name) ?? {}, directory),
      ),
      users: newUsers(document.users?.map(withoutTokenFile)).map((user) =>
        completeUser(user, rawUsers.get(user.name) ?? {}, directory),
      ),
    };
  } catch (error) {
    throw new CredentialsError(`kubeconfig ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** The fields of a kubeconfig that are read without the parser. */
interface RawKubeconfig {
  readonly 'current-context'?: string | null;
  readonly contexts?: unknown;
  readonly clusters?: readonly { readonly name: string; readonly cluster?: RawCluster | null }[] | null;
  readonly users?: readonly { readonly name: string; readonly user?: RawUser | null }[] | null;
}

const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

interface RawCluster {
  readonly extensions?: readonly { readonly name?: string; readonly extension?: unknown }[] | null;
}

interface RawUser {
  readonly tokenFile?: string | null;
  readonly 'as-uid'?: string | null;
  readonly 'as-groups'?: readonly string[] | null;
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>> | null;
}

/** Enough for hundreds of clusters with inline certificates. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

async function readText(path: string): Promise<string> {
  try {
    return (await readSmallFile(path, MAX_FILE_BYTES)).toString('utf8');
  } catch (error) {
    throw new CredentialsError(`cannot read kubeconfig ${path}: ${messageOf(error)}`, { cause: error });
  }
}

async function parseDocument(path: string, text: string): Promise<RawKubeconfig> {
  const document = await parseText(path, text);
  requireKubeconfigShape(`kubeconfig ${path}`, document);
  // `requireKubeconfigShape` has checked every field of this type.
  return document as RawKubeconfig;
}

/** Tries JSON first, which is YAML too: loading the YAML parser takes as long as the rest of the start. */
async function parseText(path: string, text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml(path, text);
  }
}

async function parseYaml(path: string, text: string): Promise<unknown> {
  const { readYaml } = await import('../../lib/yaml.ts');
  const [document, more] = readYaml(text, { maxCharacters: MAX_FILE_BYTES });
  if (document?.type === 'broken') {
    const [{ line, message } = { line: 1, message: '' }] = document.problems;
    throw new CredentialsError(`kubeconfig ${path}, line ${line}: not YAML: ${message}`);
  }
  if (more !== undefined) throw new CredentialsError(`kubeconfig ${path}: several YAML documents, expected one`);
  return document?.value ?? {};
}

function completeCluster(cluster: Cluster, raw: RawCluster, directory: string): ClusterEntry {
  const execConfig = raw.extensions?.find(({ name }) => name === EXEC_EXTENSION)?.extension;
  return {
    ...cluster,
    ...absolute({ caFile: cluster.caFile }, directory),
    ...(execConfig === undefined ? {} : { execConfig }),
  };
}

/** Removes `token-file`: the parser would read that file synchronously and without a limit. */
function withoutTokenFile({ name, user }: { readonly name: string; readonly user?: RawUser | null }): unknown {
  return { name, user: user && { ...user, 'token-file': undefined } };
}

function completeUser(user: User, raw: RawUser, directory: string): UserEntry {
  return {
    ...user,
    ...absolute({ certFile: user.certFile, keyFile: user.keyFile, tokenFile: raw.tokenFile ?? undefined }, directory),
    ...(isRelativeCommand(user.exec) ? { exec: { ...user.exec, command: join(directory, user.exec.command) } } : {}),
    ...(raw['as-uid'] ? { impersonateUid: raw['as-uid'] } : {}),
    ...(raw['as-groups'] ? { impersonateGroups: raw['as-groups'] } : {}),
    ...(raw['as-user-extra'] ? { impersonateExtra: raw['as-user-extra'] } : {}),
  };
}

/** Resolves the paths that are set against the directory of the file they are in. */
function absolute<K extends string>(
  paths: Readonly<Record<K, string | undefined>>,
  directory: string,
): Readonly<Record<string, string>> {
  const given = Object.entries<string | undefined>(paths).flatMap(([key, path]) =>
    path ? [[key, path] as const] : [],
  );
  return Object.fromEntries(given.map(([key, path]) => [key, isAbsolute(path) ? path : join(directory, path)]));
}

/**
 * Whether an exec command must be resolved against the directory of the file: it has a slash; one without is looked up
 * in PATH.
 */
function isRelativeCommand(exec: unknown): exec is { readonly command: string } {
  if (typeof exec !== 'object' || exec === null || !('command' in exec)) return false;
  return typeof exec.command === 'string' && exec.command.includes('/') && !isAbsolute(exec.command);
}
