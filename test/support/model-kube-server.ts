import type { KubeClient, KubeRequest, StreamOptions } from '../../src/kube/client.ts';
import { bookmark, errorLine, kubeList, kubeObject, type ObjectSpec } from './kube-objects.ts';
import { statusError } from './scripted-kube-client.ts';

interface HistoryEntry {
  readonly version: number;
  readonly line: { readonly type: string; readonly object: unknown };
}

interface OpenStream {
  push(line: unknown): void;
  close(error: Error | undefined): void;
}

export interface ModelOptions {
  readonly hasStreaming: boolean;
  /** How an expired version is refused: in the response, or as a watch line. */
  readonly expires: 'answer' | 'line';
}

/** A collection as an API server keeps it: versions, a history that can be compacted, pages and watches. */
export class ModelKubeServer {
  readonly #options: ModelOptions;
  readonly #objects = new Map<string, ObjectSpec>();
  readonly #snapshots = new Map<number, readonly ObjectSpec[]>();
  readonly #streams = new Set<OpenStream>();
  #history: HistoryEntry[] = [];
  #version = 100;
  #compactedTo = 100;
  #uids = 0;
  #requests = 0;

  constructor(options: ModelOptions) {
    this.#options = options;
  }

  /** The number of requests received. */
  get requests(): number {
    return this.#requests;
  }

  /** The current state of each object, as `name:uid@version`. */
  get objects(): readonly string[] {
    return [...this.#objects.values()].map(({ name, uid, version }) => `${name}:${uid}@${version}`).toSorted();
  }

  /** Creates the object, or updates it. */
  put(name: string): void {
    const known = this.#objects.get(name);
    const version = ++this.#version;
    const spec = { name, uid: known?.uid ?? `u${++this.#uids}`, version };
    this.#objects.set(name, spec);
    this.#publish({ type: known === undefined ? 'ADDED' : 'MODIFIED', object: kubeObject(spec) });
  }

  delete(name: string): void {
    const known = this.#objects.get(name);
    if (known === undefined) return;
    this.#objects.delete(name);
    const version = ++this.#version;
    this.#publish({ type: 'DELETED', object: kubeObject({ ...known, version }) });
  }

  /** Drops its history, so that older versions are expired. */
  compact(): void {
    this.#compactedTo = this.#version;
    this.#history = [];
  }

  bookmark(): void {
    for (const stream of this.#streams) stream.push(bookmark(this.#version));
  }

  /** Ends all streams: abruptly with an error, regularly without. */
  hangUp(error?: Error): void {
    for (const stream of this.#streams) stream.close(error);
    this.#streams.clear();
  }

  client(): KubeClient {
    const unsupported = (): never => {
      throw new Error('the model has only lists and watches');
    };
    return {
      bytes: async (request, signal) => {
        this.#requests++;
        await latency();
        signal.throwIfAborted();
        return Buffer.from(JSON.stringify(this.#page(request)));
      },
      lines: (request, options) => this.#lines(request, options),
      request: unsupported,
      chunks: unsupported,
      close: async () => {},
    };
  }

  #publish(line: HistoryEntry['line']): void {
    this.#history.push({ version: this.#version, line });
    for (const stream of this.#streams) stream.push(line);
  }

  /** A page of two; its continue token holds the version of the first page and the next offset. */
  #page({ query = {} }: KubeRequest): unknown {
    const [version, after] = readToken(query['continue'] ?? `${this.#version}/`);
    if (version < this.#compactedTo) throw statusError(410);
    const specs = this.#snapshot(version);
    const left = specs.filter(({ name }) => name > after);
    const page = query['limit'] === undefined ? left : left.slice(0, 2);
    const next = page.length < left.length ? `${version}/${page.at(-1)?.name}` : '';
    return kubeList(page, { version: String(version), token: next });
  }

  /** The objects by name as they were when `version` was first asked for. */
  #snapshot(version: number): readonly ObjectSpec[] {
    const known = this.#snapshots.get(version);
    if (known !== undefined) return known;
    const objects = [...this.#objects.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    this.#snapshots.set(version, objects);
    return objects;
  }

  async *#lines(
    { query = {} }: KubeRequest,
    { signal, onOpen }: StreamOptions,
  ): AsyncGenerator<Uint8Array, void, void> {
    this.#requests++;
    await latency();
    signal.throwIfAborted();
    const isList = query['sendInitialEvents'] === 'true';
    if (isList && !this.#options.hasStreaming) throw statusError(422);
    const from = isList ? this.#version : Number(query['resourceVersion']);
    const isExpired = from < this.#compactedTo;
    if (isExpired && this.#options.expires === 'answer') throw statusError(410);
    onOpen?.();
    const lines = isExpired ? [errorLine(410, 'Expired')] : isList ? this.#listLines() : this.#linesAfter(from);
    yield* this.#follow(
      lines.map((line) => Buffer.from(JSON.stringify(line))),
      signal,
    );
  }

  #listLines(): unknown[] {
    const objects = Array.from(this.#objects.values(), (spec) => ({ type: 'ADDED', object: kubeObject(spec) }));
    return [...objects, bookmark(this.#version, { isInitialEventsEnd: true })];
  }

  #linesAfter(from: number): unknown[] {
    return this.#history.filter(({ version }) => version > from).map(({ line }) => line);
  }

  async *#follow(lines: Uint8Array[], signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
    let end: { readonly error: Error | undefined } | undefined;
    let wake = (): void => {};
    const stream: OpenStream = {
      push(line) {
        lines.push(Buffer.from(JSON.stringify(line)));
        wake();
      },
      close(error) {
        end = { error };
        wake();
      },
    };
    this.#streams.add(stream);
    signal.addEventListener('abort', () => {
      stream.close(new Error('aborted'));
    });
    try {
      for (;;) {
        const line = lines.shift();
        if (line !== undefined) yield line;
        else if (end === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else if (end.error === undefined) return;
        else throw end.error;
      }
    } finally {
      this.#streams.delete(stream);
    }
  }
}

function readToken(token: string): readonly [number, string] {
  const [version, after = ''] = token.split('/');
  return [Number(version), after];
}

/** A delay, so that events happen while a request is in flight. */
async function latency(): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, 20);
  });
}
