import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';

import type { Cluster as ClusterEntry, Context as ContextEntry, User } from '@kubernetes/client-node';
import { parse, YAMLParseError } from 'yaml';

import { CredentialsError } from '../errors.ts';
import { KubeConfig } from './kubeconfig-parser.ts';

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
  const document = parseDocument(path, await readText(path));
  const config = new KubeConfig();
  try {
    config.loadFromString(JSON.stringify(document));
  } catch (error) {
    throw new CredentialsError(`kubeconfig ${path}: ${messageOf(error)}`, { cause: error });
  }
  const directory = dirname(path);
  config.makePathsAbsolute(directory);
  const rawUsers = new Map((document.users ?? []).map(({ name, user }) => [name, user ?? {}]));
  return {
    path,
    currentContext: document['current-context'] ?? '',
    contexts: config.getContexts(),
    clusters: config.getClusters(),
    users: config.getUsers().map((user) => completeUser(user, rawUsers.get(user.name) ?? {}, directory)),
  };
}

/** The parts of a kubeconfig that are read past the parser. */
interface RawKubeconfig {
  readonly 'current-context'?: string | null;
  readonly users?: readonly { readonly name: string; readonly user?: RawUser | null }[] | null;
}

interface RawUser {
  readonly tokenFile?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[];
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CredentialsError(`cannot read kubeconfig ${path}: ${messageOf(error)}`, { cause: error });
  }
}

function parseDocument(path: string, text: string): RawKubeconfig {
  let document: unknown;
  try {
    document = parse(text) ?? {};
  } catch (error) {
    const line = error instanceof YAMLParseError ? error.linePos?.[0].line : undefined;
    const where = line === undefined ? path : `${path}, line ${line}`;
    const [reason = ''] = messageOf(error).split('\n');
    throw new CredentialsError(`kubeconfig ${where}: not YAML: ${reason}`, { cause: error });
  }
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document;
  throw new CredentialsError(`kubeconfig ${path}: expected a mapping, got ${JSON.stringify(document)}`);
}

function completeUser(user: User, raw: RawUser, directory: string): UserEntry {
  const { tokenFile } = raw;
  return {
    ...user,
    ...(isRelativeCommand(user.exec) ? { exec: { ...user.exec, command: join(directory, user.exec.command) } } : {}),
    ...(tokenFile === undefined ? {} : { tokenFile: isAbsolute(tokenFile) ? tokenFile : join(directory, tokenFile) }),
    ...(raw['as-uid'] === undefined ? {} : { impersonateUid: raw['as-uid'] }),
    ...(raw['as-groups'] === undefined ? {} : { impersonateGroups: raw['as-groups'] }),
    ...(raw['as-user-extra'] === undefined ? {} : { impersonateExtra: raw['as-user-extra'] }),
  };
}

/** A command with a slash is relative to the file; one without is looked up in PATH. */
function isRelativeCommand(exec: unknown): exec is { readonly command: string } {
  if (typeof exec !== 'object' || exec === null || !('command' in exec)) return false;
  return typeof exec.command === 'string' && exec.command.includes('/') && !isAbsolute(exec.command);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
