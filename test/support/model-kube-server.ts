import { sliceOfText } from '../../src/lib/slice-hash.ts';
import type { KubeClient, KubeRequest, StreamOptions } from '../../src/kube/client.ts';
import { bookmark, errorLine, kubeList, watchLine, type ObjectSpec } from './kube-objects.ts';
import { statusError } from './scripted-kube-client.ts';

interface Stored extends ObjectSpec {
  readonly namespace: string;
  readonly uid: string;
}

interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly spec: Stored;
}

interface HistoryEntry {
  readonly version: number;
  readonly change: Change;
}

interface OpenStream {
  readonly query: Query;
  push(line: unknown): void;
  close(error: Error | undefined): void;
}

type Query = Readonly<Record<string, string>>;

export interface ModelOptions {
  readonly hasStreaming: boolean;
  /** How an expired version is refused: in the response, or as a watch line. */
  readonly expires: 'answer' | 'line';
  /** Whether it divides lists and watches by their `shardSelector`, and what it echoes then; default false. */
  readonly divides?: boolean | 'with-another-echo';
  /** Default `default`. */
  readonly namespaceOf?: (name: string) => string;
}

/** A collection as an API server keeps it: versions, a history that can be compacted, pages and watches. */
export class ModelKubeServer {
  readonly #options: ModelOptions;
  #divides: boolean | 'with-another-echo';
  readonly #objects = new Map<string, Stored>();
  readonly #snapshots = new Map<number, readonly Stored[]>();
  readonly #streams = new Set<OpenStream>();
  #history: HistoryEntry[] = [];
  #version = 100;
  #compactedTo = 100;
  #uids = 0;
  #requests = 0;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.#divides = options.divides ?? false;
  }

  /** From now on it ignores every `shardSelector`, also that of an open watch. */
  stopDividing(): void {
    this.#divides = false;
  }

  /** The current state of each object that `isWanted`, as `name:uid@version`. */
  objectsOf(isWanted: (object: Stored) => boolean): readonly string[] {
    const wanted = [...this.#objects.values()].filter(isWanted);
    return wanted.map(({ name, uid, version }) => `${name}:${uid}@${version}`).toSorted();
  }

  /** The number of requests received. */
  get requests(): number {
    return this.#requests;
  }

  /** The current state of each object, as `name:uid@version`. */
  get objects(): readonly string[] {
    return this.objectsOf(() => true);
  }

  /** Creates the object, or updates it. */
  put(name: string): void {
    const known = this.#objects.get(name);
    const version = ++this.#version;
    const namespace = this.#options.namespaceOf?.(name) ?? 'default';
    const spec = { name, namespace, uid: known?.uid ?? `${++this.#uids}-u`, version };
    this.#objects.set(name, spec);
    this.#publish({ type: known === undefined ? 'ADDED' : 'MODIFIED', spec });
  }

  delete(name: string): void {
    const known = this.#objects.get(name);
    if (known === undefined) return;
    this.#objects.delete(name);
    const version = ++this.#version;
    this.#publish({ type: 'DELETED', spec: { ...known, version } });
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

  #publish(change: Change): void {
    this.#history.push({ version: this.#version, change });
    for (const stream of this.#streams) {
      if (this.#selects(stream.query, change.spec)) stream.push(watchLine(change.type, change.spec));
    }
  }

  #selects({ shardSelector }: Query, { namespace, uid }: Stored): boolean {
    if (this.#divides === false || shardSelector === undefined) return true;
    const [, field, start = ''] = /metadata\.(\w+), '0x(\w\w)/.exec(shardSelector) ?? [];
    return sliceOfText('fnv1a', field === 'uid' ? uid : namespace) === Number.parseInt(start, 16) / 4;
  }

  #echo({ shardSelector }: Query): { readonly shardInfo?: { readonly selector: string } } {
    if (this.#divides === false || shardSelector === undefined) return {};
    return { shardInfo: { selector: this.#divides === true ? shardSelector : `${shardSelector} || more` } };
  }

  /** A page of two; its continue token holds the version of the first page and the next offset. */
  #page({ query = {} }: KubeRequest): unknown {
    const [version, after] = readToken(query['continue'] ?? `${this.#version}/`);
    if (version < this.#compactedTo) throw statusError(410);
    const specs = this.#snapshot(version).filter((spec) => this.#selects(query, spec));
    const left = specs.filter(({ name }) => name > after);
    const page = query['limit'] === undefined ? left : left.slice(0, 2);
    const next = page.length < left.length ? `${version}/${page.at(-1)?.name}` : '';
    const list = kubeList(page, { version: String(version), token: next });
    return { ...list, metadata: { ...list.metadata, ...this.#echo(query) } };
  }

  /** The objects by name as they were when `version` was first asked for. */
  #snapshot(version: number): readonly Stored[] {
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
    const lines = isExpired
      ? [errorLine(410, 'Expired')]
      : isList
        ? this.#listLines(query)
        : this.#linesAfter(from, query);
    yield* this.#follow(
      lines.map((line) => Buffer.from(JSON.stringify(line))),
      query,
      signal,
    );
  }

  #listLines(query: Query): unknown[] {
    const selected = [...this.#objects.values()].filter((spec) => this.#selects(query, spec));
    const objects = selected.map((spec) => watchLine('ADDED', spec));
    return [...objects, bookmark(this.#version, { isInitialEventsEnd: true })];
  }

  #linesAfter(from: number, query: Query): unknown[] {
    const changes = this.#history.filter(({ version }) => version > from).map(({ change }) => change);
    return changes.filter(({ spec }) => this.#selects(query, spec)).map(({ type, spec }) => watchLine(type, spec));
  }

  async *#follow(lines: Uint8Array[], query: Query, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
    let end: { readonly error: Error | undefined } | undefined;
    let wake = (): void => {};
    const stream: OpenStream = {
      query,
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
