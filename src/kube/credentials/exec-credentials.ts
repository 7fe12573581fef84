/*
 * Credentials from an exec plugin (`exec` of a kubeconfig user): a program, such as that of a cloud provider, that
 * prints an ExecCredential. `expiringCredentials` decides when to run the plugin; this file runs it once and reads its
 * output. A plugin may hang, ignore signals, or leave a child that holds its output open: it is killed with its
 * descendants at its limit, and the caller never waits longer than that limit plus one second. An error never repeats a
 * secret.
 */

import { within } from '../../lib/deadline.ts';
import type { ExecaError } from 'execa';

import { CredentialsError } from '../../errors.ts';
import { shown, shownText } from '../../lib/shown.ts';
import { bearerHeaders, type CredentialSource } from './credentials.ts';
import { expiringCredentials, type ExpiringPart } from './expiring-credentials.ts';
import type { ClusterEntry, UserEntry } from './kubeconfig-file.ts';
import { asJsonObject } from '../object.ts';
import { readSmallFile } from './read-file.ts';
import type { UserContext } from './user-credentials.ts';

const TIMEOUT_MS = 60_000;
/** From SIGTERM to SIGKILL. */
const KILL_MS = 1000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** The credentials that the user's exec plugin prints; throws `CredentialsError` when the entry is not usable. */
export function execCredentials(user: UserEntry, context: UserContext): CredentialSource {
  const exec = user.exec as ExecEntry;
  if (typeof exec.command !== 'string' || exec.command === '') {
    throw new CredentialsError(`kubeconfig user ${user.name}: exec.command is missing`);
  }
  if (exec.interactiveMode === 'Always') {
    throw new CredentialsError(
      `kubeconfig user ${user.name}: exec plugin ${exec.command} requires a terminal (interactiveMode: Always)`,
    );
  }
  return expiringCredentials(async () => {
    const output = await run(exec, { ...context, caData: await authorityOf(context.cluster) }, user.name);
    return parse(output, `exec plugin ${exec.command} of kubeconfig user ${user.name}`);
  });
}

interface ExecEntry {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
  readonly interactiveMode?: string;
  readonly provideClusterInfo?: boolean;
}

/** What a plugin prints as `status`. */
type ExecStatus = Readonly<Partial<Record<(typeof STATUS_FIELDS)[number], string>>>;

const STATUS_FIELDS = ['token', 'clientCertificateData', 'clientKeyData', 'expirationTimestamp'] as const;

interface RunContext extends UserContext {
  readonly caData: string | undefined;
}

/**
 * Returns the certificate authority in base64: a plugin receives its content, even when the kubeconfig names a file.
 */
async function authorityOf({ caData, caFile }: ClusterEntry): Promise<string | undefined> {
  if (caData || !caFile) return caData;
  return (await readSmallFile(caFile, MAX_OUTPUT_BYTES)).toString('base64');
}

async function run(exec: ExecEntry, context: RunContext, user: string): Promise<string> {
  const { pluginTimeoutMs = TIMEOUT_MS } = context;
  const late = (): never => {
    const seconds = pluginTimeoutMs / 1000;
    throw new CredentialsError(`exec plugin ${exec.command} of kubeconfig user ${user} did not end in ${seconds} s`);
  };
  // A child that the plugin left behind may hold its output open, and execa waits for that.
  return within(runPlugin(exec, context, user), { limitMs: pluginTimeoutMs + KILL_MS, late });
}

async function runPlugin(exec: ExecEntry, context: RunContext, user: string): Promise<string> {
  const { cluster, env, caData, pluginTimeoutMs = TIMEOUT_MS } = context;
  const { command = '', args } = exec;
  // Loaded lazily: few clusters need a plugin.
  const { execa, ExecaError } = await import('execa');
  try {
    const { stdout } = await execa(command, [...(args ?? [])], {
      env: {
        ...env,
        ...Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value])),
        KUBERNETES_EXEC_INFO: JSON.stringify(execInfo(exec, cluster, caData)),
      },
      extendEnv: false,
      stdin: 'ignore',
      timeout: pluginTimeoutMs,
      // Kills the plugin with its descendants, at its limit and when hooklet exits: they may hold its output open or
      // ignore other signals.
      killSignal: 'SIGKILL',
      killDescendants: true,
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    return stdout;
  } catch (error) {
    if (!(error instanceof ExecaError)) throw error;
    const what = `exec plugin ${command} of kubeconfig user ${user} failed: ${explain(error, exec)}`;
    // Not the error itself: its message is already in `what`.
    throw new CredentialsError(what, { cause: error.cause });
  }
}

function explain(error: ExecaError, { installHint }: ExecEntry): string {
  const said = shownText(String(error.stderr ?? '').trim());
  const hint = error.code === 'ENOENT' && installHint ? `; ${installHint.trim()}` : '';
  return (said === '' ? (error.originalMessage ?? error.shortMessage) : said) + hint;
}

function execInfo(
  { apiVersion, provideClusterInfo }: ExecEntry,
  cluster: ClusterEntry,
  caData: string | undefined,
): unknown {
  const info = {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.skipTLSVerify || undefined,
    'certificate-authority-data': caData,
    'proxy-url': cluster.proxyUrl,
    config: cluster.execConfig,
  };
  return {
    apiVersion: apiVersion ?? 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: { interactive: false, ...(provideClusterInfo === true ? { cluster: info } : {}) },
  };
}

function parse(output: string, plugin: string): ExpiringPart {
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = parseStatus(output, plugin);
  const headers = token === undefined ? undefined : bearerHeaders(token, `the token that ${plugin} printed`);
  const pair = cert === undefined || key === undefined ? undefined : { cert, key };
  if (headers === undefined && pair === undefined) {
    throw new CredentialsError(`${plugin} printed neither a token nor a client certificate with its key`);
  }
  const expiresAt = expirationTimestamp === undefined ? Infinity : Date.parse(expirationTimestamp);
  if (Number.isNaN(expiresAt)) {
    throw new CredentialsError(`${plugin} printed the expirationTimestamp ${shown(expirationTimestamp)}`);
  }
  return { part: { ...(headers && { headers }), ...pair }, expiresAt };
}

function parseStatus(output: string, plugin: string): ExecStatus {
  const status = asJsonObject(asJsonObject(parseOutput(output, plugin))['status']);
  const given = STATUS_FIELDS.flatMap((field) => {
    const value = status[field];
    // The value may be a secret, so the error names only the field.
    if (value !== undefined && value !== null && typeof value !== 'string') {
      throw new CredentialsError(`${plugin} printed a status.${field} that is not a string`);
    }
    return value === undefined || value === null || value === '' ? [] : [[field, value] as const];
  });
  return Object.fromEntries(given);
}

function parseOutput(output: string, plugin: string): unknown {
  try {
    return JSON.parse(output);
  } catch (error) {
    throw new CredentialsError(`${plugin} did not print an ExecCredential as JSON`, { cause: error });
  }
}
