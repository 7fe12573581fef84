/* The API server of a world: a sandbox that knows who asks, and what the author of a test asks of it. */

import { randomUUID } from 'node:crypto';
import {
  isJsonObject,
  startSandbox,
  type JsonObject,
  type JsonValue,
  type ObservedWrite,
  type Sandbox,
  type SandboxOptions,
  type Tapped,
  type TappedEvent,
  type TappedRequest,
} from '@hooklet/sandbox';
import { ScenarioError } from '../../errors.ts';
import type { Write } from '../timeline.ts';
import { messageOf } from '../../lib/message-of.ts';

/** Who makes a request: `life` is the number of the operator's life. */
export type Caller =
  | { readonly by: 'hook' | 'hooklet'; readonly life: number; readonly run: string | undefined }
  | { readonly by: 'scenario' };

/** The API server of a world. */
export interface WorldCluster extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** How many requests wait for an answer that a fault delays, and of how many runs these are. */
  delayed(): { readonly answers: number; readonly runs: number };
  tokenOf(caller: Caller): string;
  kubeconfigOf(caller: Caller): string;
  /** Makes a request as the author of the test. */
  ask(request: AuthorRequest): Promise<ClusterAnswer>;
  /** All objects but those every cluster has, in the order of their creation. */
  objects(): readonly JsonObject[];
}

export interface AuthorRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ClusterAnswer {
  readonly code: number;
  readonly body: JsonValue;
  /** What it warns of, such as an admission webhook does; absent: nothing. */
  readonly warnings?: readonly string[];
}

/** What is told of what happens in the cluster, and has a say in it. */
export interface ClusterListener {
  wrote(write: ObservedWrite, caller: Caller | undefined): void;
  request(request: TappedRequest, caller: Caller | undefined): Tapped | undefined;
  event(event: TappedEvent): void;
  /** Whether a run of this life may still ask for something. */
  isLiving(life: number, run: string | undefined): boolean;
}

/** Opens the cluster of a world, whose uids follow from `ids`; `listener` hears of everything from the first object on. */
export async function openCluster(
  listener: ClusterListener,
  ids: Pick<SandboxOptions, 'seed' | 'variant'>,
): Promise<WorldCluster> {
  const secret = randomUUID();
  const order = new Map<string, number>();
  const isKnown = (caller: Caller): boolean => caller.by === 'scenario' || listener.isLiving(caller.life, caller.run);
  const sandbox = await startSandbox({
    anonymous: true,
    ...ids,
    // Certificates are made by the clock of the world, and would be checked by another.
    checksCertificates: false,
    now: () => Date.now(),
    callerOf: (token) => {
      const caller = token.startsWith(`${secret}.`) ? token.slice(secret.length + 1) : undefined;
      const parsed = caller === undefined ? undefined : parseCaller(caller);
      return parsed !== undefined && isKnown(parsed) ? caller : undefined;
    },
    onWrite: (write) => {
      const uid = uidOf(write.after);
      if (uid !== '' && !order.has(uid)) order.set(uid, order.size);
      listener.wrote(write, parseCaller(write.caller));
    },
    onRequest: (request) => listener.request(request, parseCaller(request.caller)),
    onEvent: (event) => {
      if (parseCaller(event.caller)?.by === 'hooklet') listener.event(event);
      else event.send();
    },
  });
  const initial = new Set(sandbox.state.objects.map(({ object }) => uidOf(object)));
  const tokenOf = (caller: Caller): string => `${secret}.${callerText(caller)}`;
  return {
    sandbox,
    delayed: () => {
      const { delayed } = sandbox;
      // A program that sends no token belongs to some run.
      const runs = new Set(delayed.filter((text) => text === '' || text.startsWith('hook/')));
      return { answers: delayed.length, runs: runs.size };
    },
    tokenOf,
    kubeconfigOf: (caller) => sandbox.kubeconfig(tokenOf(caller)),
    ask: async (request) => ask(sandbox, tokenOf({ by: 'scenario' }), request),
    objects: () => {
      const all = sandbox.state.objects.map(({ object }) => object).filter((object) => !initial.has(uidOf(object)));
      const rankOf = (object: JsonObject): number => order.get(uidOf(object)) ?? 0;
      return all.toSorted((a, b) => rankOf(a) - rankOf(b));
    },
    [Symbol.asyncDispose]: async () => sandbox.close(),
  };
}

/** The moment of a write. */
export function writeMoment(write: ObservedWrite, caller: Caller | undefined): Write {
  const { verb, apiVersion, kind, namespace, name, subresource, code, isChange, before, after, hasPrecondition } =
    write;
  const run = caller === undefined || caller.by === 'scenario' ? undefined : caller.run;
  return {
    type: 'write',
    by: write.caller === 'controller' ? 'controller' : (caller?.by ?? 'hook'),
    ...(run !== undefined && { run }),
    verb,
    object: { apiVersion, kind, namespace, name },
    ...(subresource !== '' && { subresource }),
    code,
    isChange,
    ...(before && { before }),
    ...(after && { after }),
    hasPrecondition,
  };
}

/** The path of an object in the cluster; throws a `ScenarioError` for a kind that it does not serve. */
export function objectPath({ sandbox }: Pick<WorldCluster, 'sandbox'>, object: JsonObject): string {
  try {
    return sandbox.pathOf(object);
  } catch (cause) {
    throw new ScenarioError(messageOf(cause), { cause });
  }
}

async function ask(sandbox: Sandbox, token: string, request: AuthorRequest): Promise<ClusterAnswer> {
  const { method, path, body, contentType = 'application/json', headers = {} } = request;
  const all = { ...headers, authorization: `Bearer ${token}`, 'content-type': contentType, 'user-agent': 'scenario' };
  const sent = await sandbox.send({
    method,
    path,
    headers: all,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const chunks: Buffer[] = [];
  for await (const chunk of sent.body) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString();
  const warnings = warningsIn(sent.headers['warning']);
  return { code: sent.status, body: parsed(text), ...(warnings.length > 0 && { warnings }) };
}

/** The texts in `Warning` headers; in a header each byte of UTF-8 is a character. */
function warningsIn(header = ''): readonly string[] {
  return [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) =>
    Buffer.from(quoted.replaceAll(/\\(.)/g, '$1'), 'latin1').toString('utf8'),
  );
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

function callerText(caller: Caller): string {
  return caller.by === 'scenario' ? 'scenario' : `${caller.by}/${caller.life}/${caller.run ?? ''}`;
}

function parseCaller(text: string): Caller | undefined {
  if (text === 'scenario') return { by: 'scenario' };
  const [by, life, run = ''] = text.split('/');
  if (by !== 'hook' && by !== 'hooklet') return undefined;
  return { by, life: Number(life), run: run === '' ? undefined : run };
}

function uidOf(object: JsonObject | undefined): string {
  const metadata = object?.['metadata'];
  const uid = isJsonObject(metadata) ? metadata['uid'] : undefined;
  return typeof uid === 'string' ? uid : '';
}
