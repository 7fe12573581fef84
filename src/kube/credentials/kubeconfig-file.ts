import { dirname, isAbsolute, join } from 'node:path';

// The part of KubeConfig that reads entries, by its file: the package as a whole takes half a second to load.
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

/** A cluster, with what the parser leaves out. */
export interface ClusterEntry extends Cluster {
  /** What the cluster's `extensions` say to exec plugins. */
  readonly execConfig?: unknown;
}

/** A user, with what the parser leaves out. */
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

/** Reads one kubeconfig file; rejects with `CredentialsError` that says what is wrong with it. */
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

/** The parts of a kubeconfig that are read past the parser. */
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

/** Of hundreds of clusters, with their certificates in place. */
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
  // Each field that is named in the type was looked at.
  return document as RawKubeconfig;
}

/** JSON, which is YAML too, without a parser that takes as long to warm up as all else of a start. */
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

/** The parser would read the file of this field by itself, at once and whatever its size. */
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

/** The paths that are given, relative to the file they are in. */
function absolute<K extends string>(
  paths: Readonly<Record<K, string | undefined>>,
  directory: string,
): Readonly<Record<string, string>> {
  const given = Object.entries<string | undefined>(paths).flatMap(([key, path]) =>
    path ? [[key, path] as const] : [],
  );
  return Object.fromEntries(given.map(([key, path]) => [key, isAbsolute(path) ? path : join(directory, path)]));
}

/** A command with a slash is relative to the file; one without is looked up in PATH. */
function isRelativeCommand(exec: unknown): exec is { readonly command: string } {
  if (typeof exec !== 'object' || exec === null || !('command' in exec)) return false;
  return typeof exec.command === 'string' && exec.command.includes('/') && !isAbsolute(exec.command);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
