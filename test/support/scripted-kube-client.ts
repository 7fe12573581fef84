import { KubeError, ResourceExpiredError } from '../../src/errors.ts';
import type { Carrier } from '../../src/kube/http/http.ts';
import type { KubeClient, KubeRequest, StreamOptions } from '../../src/kube/client.ts';

/** A request that the test answers: a list with `reply`, a watch line by line. */
export interface ScriptedCall {
  readonly kind: 'list' | 'watch';
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly idleTimeoutMs: number | undefined;
  /** Answers a list. */
  reply(body: unknown): void;
  /** Accepts a watch without sending anything. */
  open(): void;
  /** Sends watch lines: objects are written as JSON, strings as they are. */
  send(...lines: readonly unknown[]): void;
  /** Ends a watch regularly. */
  end(): void;
  /** Refuses the request, or breaks the stream. */
  fail(error: unknown): void;
  readonly isAborted: boolean;
}

/** A client whose calls wait for the test. */
export interface ScriptedKubeClient extends KubeClient {
  /** The calls so far, answered or not. */
  readonly calls: readonly ScriptedCall[];
  /** Waits for the next call that was not taken yet. */
  next(): Promise<ScriptedCall>;
}

/** Creates a client without sockets whose responses the test scripts. */
export function scriptedKubeClient({ carrier }: { readonly carrier?: Carrier } = {}): ScriptedKubeClient {
  const calls: ScriptedCall[] = [];
  const untaken: ScriptedCall[] = [];
  const takers: ((call: ScriptedCall) => void)[] = [];
  const announce = (call: ScriptedCall): void => {
    calls.push(call);
    const taker = takers.shift();
    if (taker === undefined) untaken.push(call);
    else taker(call);
  };
  const unscripted = (): never => {
    throw new Error('the script has only lists and watches');
  };

  return {
    calls,
    next() {
      const call = untaken.shift();
      return call === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(call);
    },
    async bytes(request, signal) {
      const stream = scriptStream(signal);
      announce(scriptCall('list', request, { stream, signal }));
      for await (const body of stream) return body;
      throw new Error('a list has a body');
    },
    async *lines(request, options) {
      const stream = scriptStream(options.signal, options);
      if (carrier !== undefined) request.onCarried?.(carrier);
      announce(scriptCall('watch', request, { stream, signal: options.signal, idleTimeoutMs: options.idleTimeoutMs }));
      for await (const line of stream) if (options.isDropped?.(line) !== true) yield line;
    },
    request: unscripted,
    chunks: unscripted,
    close: async () => {},
  };
}

/** The error of a status code, as the transport creates it. */
export function statusError(status: number, { reason = '', message = `status ${status}`, retryAfterMs = -1 } = {}) {
  const failure = { status, reason, ...(retryAfterMs < 0 ? {} : { retryAfterMs }) };
  return status === 410 ? new ResourceExpiredError(message, failure) : new KubeError(message, failure);
}

interface ScriptStream extends AsyncIterable<Uint8Array> {
  open(): void;
  push(line: Uint8Array): void;
  end(): void;
  fail(error: unknown): void;
}

interface CallParts {
  readonly stream: ScriptStream;
  readonly signal: AbortSignal;
  readonly idleTimeoutMs?: number;
}

function scriptCall(
  kind: 'list' | 'watch',
  request: KubeRequest,
  { stream, signal, ...rest }: CallParts,
): ScriptedCall {
  const encode = (line: unknown): Uint8Array => Buffer.from(typeof line === 'string' ? line : JSON.stringify(line));
  return {
    kind,
    path: request.path,
    query: request.query ?? {},
    idleTimeoutMs: rest.idleTimeoutMs,
    reply: (body) => {
      stream.push(encode(body));
    },
    open: () => {
      stream.open();
    },
    send: (...lines) => {
      for (const line of lines) stream.push(encode(line));
    },
    end: () => {
      stream.end();
    },
    fail: (error) => {
      stream.fail(error);
    },
    get isAborted() {
      return signal.aborted;
    },
  };
}

function scriptStream(signal: AbortSignal, { onOpen, onData }: Partial<StreamOptions> = {}): ScriptStream {
  const lines: Uint8Array[] = [];
  let isOpen = false;
  let end: { readonly error?: unknown } | undefined;
  let wake = (): void => {};
  signal.addEventListener('abort', () => {
    end = { error: signal.reason };
    wake();
  });
  const open = (): void => {
    if (!isOpen) onOpen?.();
    isOpen = true;
  };
  return {
    open,
    push(line) {
      open();
      onData?.();
      lines.push(line);
      wake();
    },
    end() {
      open();
      end ??= {};
      wake();
    },
    fail(error) {
      end ??= { error };
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        signal.throwIfAborted();
        const line = lines.shift();
        if (line !== undefined) yield line;
        else if (end === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else if ('error' in end) throw end.error;
        else return;
      }
    },
  };
}
