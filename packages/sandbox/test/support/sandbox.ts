import { request as httpRequest, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/json.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox.ts';

/** Starts a sandbox that is closed at the end of the current test. */
export async function sandboxForTest(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** A response of the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; empty when there is none. */
  readonly body: JsonObject;
}

/** Sends a request to the API over HTTP. */
export type Ask = (method: string, path: string, body?: unknown, contentType?: string) => Promise<ApiAnswer>;

/** Returns a function that sends requests to the sandbox over HTTP, with its token. */
export function asking(sandbox: Sandbox, headers: { readonly [name: string]: string } = {}): Ask {
  return async (method, path, body, contentType = 'application/json') => {
    const response = await fetch(sandbox.url + path, {
      method,
      headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': contentType, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsedObject(text) };
  };
}

function parsedObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** An open watch. */
export interface OpenWatch {
  readonly status: number;
  /** Returns the next line; undefined when the stream ended; fails when it broke. */
  nextLine(): Promise<string | undefined>;
  /** The next event. */
  next(): Promise<JsonObject>;
  close(): void;
}

const TIME_LIMIT_MS = 15_000;

/** Opens a watch, which is closed at the end of the current test. */
export async function openWatch(
  sandbox: Sandbox,
  path: string,
  extra: { readonly [name: string]: string } = {},
): Promise<OpenWatch> {
  const headers = { authorization: `Bearer ${sandbox.token}`, ...extra };
  const outgoing = httpRequest(sandbox.url + path, { headers, agent: false });
  onTestFinished(() => {
    outgoing.destroy();
  });
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject).end();
  });
  const lines = linesOf(incoming);
  const nextLine = (): Promise<string | undefined> => withinLimit(lines.next().then(({ value }) => value ?? undefined));
  return {
    status: incoming.statusCode ?? 0,
    nextLine,
    next: async () => parsedObject((await nextLine()) ?? 'the watch has ended'),
    close: () => outgoing.destroy(),
  };
}

async function* linesOf(incoming: IncomingMessage): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const chunk of incoming) {
    const parts = (rest + String(chunk)).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
  if (rest !== '') yield rest;
  return undefined;
}

async function withinLimit<Value>(promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came within ${TIME_LIMIT_MS} ms`)), TIME_LIMIT_MS);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** A CustomResourceDefinition `widgets.example.com` with a small schema; `changes` override its spec. */
export function widgetDefinition(changes: JsonObject = {}, version: JsonObject = {}): JsonObject {
  const color = { type: 'string', enum: ['red', 'blue'] };
  const spec = {
    type: 'object',
    required: ['color'],
    properties: { color, replicas: { type: 'integer', default: 1 } },
  };
  const status = { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'], categories: ['all'] },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.replicas',
              statusReplicasPath: '.status.replicas',
              labelSelectorPath: '.status.selector',
            },
          },
          selectableFields: [{ jsonPath: '.spec.color' }],
          ...version,
        },
      ],
      ...changes,
    },
  };
}
