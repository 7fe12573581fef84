import type { ApiRequest } from './api-request.ts';
import { withTimeLimit } from './time-limit.ts';

/** The requests that a fault strikes; an absent field matches everything. */
export interface RequestMatcher {
  readonly method?: string;
  /** A prefix of the path. */
  readonly path?: string;
  /** A regular expression that must match somewhere in the path with its query. */
  readonly pattern?: string;
  /** True: only watches; false: everything but watches. */
  readonly watch?: boolean;
}

/** What a fault does. */
export type FaultAction =
  /** The socket is destroyed before the headers are sent or, with `afterBytes`, after that many bytes of the body. */
  | { readonly type: 'hangUp'; readonly afterBytes?: number }
  /** The connection stays open and nothing more is sent. Also strikes matching connections that are already open. */
  | { readonly type: 'silence' }
  /** A refusal with this code: 410, 429, 500, 401 … */
  | { readonly type: 'status'; readonly code: number; readonly message?: string; readonly retryAfterSeconds?: number }
  /** The answer is delayed. */
  | { readonly type: 'delay'; readonly delayMs: number }
  /** Lists are served as of an older revision. */
  | { readonly type: 'staleList'; readonly resourceVersion: string }
  /** The response ends early, as if it were complete. */
  | { readonly type: 'truncate'; readonly afterBytes: number }
  /** The watch ends with an ERROR event with this code. Also strikes matching watches that are already open. */
  | { readonly type: 'watchError'; readonly code: number; readonly message?: string }
  /** Watches get no bookmarks. */
  | { readonly type: 'noBookmarks' }
  /** The next event of a watch is sent as half a line of JSON and a newline. */
  | { readonly type: 'brokenLine' }
  /** The socket of a watch is destroyed in the middle of the next event. */
  | { readonly type: 'cutLine' }
  /** Each event of a watch is sent this many times. */
  | { readonly type: 'duplicate'; readonly copies: number };

/** A fault: which requests it strikes, how often (without `times`, until it is cleared), and what it does. */
export type Fault = RequestMatcher & { readonly times?: number } & FaultAction;

type FaultType = FaultAction['type'];

/** All types of faults. */
export const FAULT_TYPES: readonly FaultType[] = [
  'hangUp',
  'silence',
  'status',
  'delay',
  'staleList',
  'truncate',
  'watchError',
  'noBookmarks',
  'brokenLine',
  'cutLine',
  'duplicate',
];

/** The active faults. */
export class Faults {
  readonly #active: { readonly fault: Fault; left: number }[] = [];
  readonly #strikeOpen: (fault: Fault, strikes: () => boolean) => void;

  /**
   * `strikeOpen` is called with each new fault, for the connections that are already open; it calls `strikes` to use
   * the fault up once, which returns false when the fault is used up.
   */
  constructor(strikeOpen: (fault: Fault, strikes: () => boolean) => void) {
    this.#strikeOpen = strikeOpen;
  }

  /** The faults that can still strike. */
  get active(): readonly Fault[] {
    return this.#active.map(({ fault }) => fault);
  }

  /** Adds a fault; the returned function removes it. */
  add(fault: Fault): () => void {
    // An invalid pattern must fail here and not at a later request.
    if (fault.pattern !== undefined) new RegExp(fault.pattern);
    const entry = { fault, left: fault.times ?? Number.POSITIVE_INFINITY };
    this.#active.push(entry);
    this.#strikeOpen(fault, () => this.#strike(entry));
    return () => this.#remove(entry);
  }

  /** Removes all faults; their effects on open connections remain. */
  clear(): void {
    this.#active.length = 0;
  }

  /** Returns the first fault of this type that matches the request, and counts it as used once. */
  take<Type extends FaultType>(
    request: ApiRequest,
    watch: boolean,
    type: Type,
  ): Extract<Fault, { type: Type }> | undefined {
    for (const entry of this.#active) {
      if (!isOfType(entry.fault, type) || !matchesRequest(entry.fault, request, watch)) continue;
      if (this.#strike(entry)) return entry.fault;
    }
    return undefined;
  }

  #strike(entry: { readonly fault: Fault; left: number }): boolean {
    if (entry.left <= 0) return false;
    entry.left -= 1;
    if (entry.left <= 0) this.#remove(entry);
    return true;
  }

  #remove(entry: { readonly fault: Fault; left: number }): void {
    const index = this.#active.indexOf(entry);
    if (index >= 0) this.#active.splice(index, 1);
  }
}

function isOfType<Type extends FaultType>(fault: Fault, type: Type): fault is Extract<Fault, { type: Type }> {
  return fault.type === type;
}

const PATTERN_LIMIT_MS = 1000;
// A pattern without choices and repeats never backtracks; the limit takes a thread each time.
const PLAIN = /^[\w\-./=%&,:^$]*$/;

/** Whether a matcher matches the request. */
export function matchesRequest(matcher: RequestMatcher, request: ApiRequest, watch: boolean): boolean {
  if (matcher.watch !== undefined && matcher.watch !== watch) return false;
  if (matcher.method !== undefined && matcher.method.toUpperCase() !== request.method) return false;
  if (matcher.path !== undefined && !request.path.startsWith(matcher.path)) return false;
  const query = request.query.toString();
  if (matcher.pattern === undefined) return true;
  const pattern = new RegExp(matcher.pattern);
  const asked = `${request.path}${query && `?${query}`}`;
  if (PLAIN.test(matcher.pattern)) return pattern.test(asked);
  return withTimeLimit('the pattern of a fault', PATTERN_LIMIT_MS, () => pattern.test(asked));
}
