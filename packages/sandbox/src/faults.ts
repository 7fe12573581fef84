import type { ApiRequest } from './api-request.ts';
import { withTimeLimit } from './time-limit.ts';

/** Which requests a fault strikes; what is absent matches everything. */
export interface RequestMatcher {
  readonly method?: string;
  /** How the path begins. */
  readonly path?: string;
  /** A regular expression that the path and query must match somewhere. */
  readonly pattern?: string;
  /** True: watches alone; false: all but watches. */
  readonly watch?: boolean;
}

/** What goes wrong. */
export type FaultAction =
  /** The socket is destroyed before the headers or, with `afterBytes`, after so much of the body. */
  | { readonly type: 'hangUp'; readonly afterBytes?: number }
  /** The connection stays, and nothing more is sent; also on the connections that match already. */
  | { readonly type: 'silence' }
  /** A refusal with this code: 410, 429, 500, 401 … */
  | { readonly type: 'status'; readonly code: number; readonly message?: string; readonly retryAfterSeconds?: number }
  /** The answer comes later. */
  | { readonly type: 'delay'; readonly delayMs: number }
  /** Lists are served as they were at an older revision. */
  | { readonly type: 'staleList'; readonly resourceVersion: string }
  /** The answer ends early, as if it were whole. */
  | { readonly type: 'truncate'; readonly afterBytes: number }
  /** An ERROR event with this code ends the watch; also those that match already. */
  | { readonly type: 'watchError'; readonly code: number; readonly message?: string }
  /** Watches get no bookmarks. */
  | { readonly type: 'noBookmarks' }
  /** The next event of a watch is half a line of JSON, with a newline. */
  | { readonly type: 'brokenLine' }
  /** The socket of a watch is destroyed in the middle of the next event. */
  | { readonly type: 'cutLine' }
  /** Each event of a watch is sent this many times. */
  | { readonly type: 'duplicate'; readonly copies: number };

/** A fault: whom it strikes, how often (until cleared, where `times` is absent), and what happens. */
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

/** Faults on demand. */
export class Faults {
  readonly #active: { readonly fault: Fault; left: number }[] = [];
  readonly #strikeOpen: (fault: Fault, strikes: () => boolean) => void;

  /** `strikeOpen` is told of each new fault, for the connections that are open already. */
  constructor(strikeOpen: (fault: Fault, strikes: () => boolean) => void) {
    this.#strikeOpen = strikeOpen;
  }

  /** The faults that are still to strike. */
  get active(): readonly Fault[] {
    return this.#active.map(({ fault }) => fault);
  }

  /** Adds a fault; the function it returns ends it. */
  add(fault: Fault): () => void {
    // A pattern that is none must fail here, not at some later request.
    if (fault.pattern !== undefined) new RegExp(fault.pattern);
    const entry = { fault, left: fault.times ?? Number.POSITIVE_INFINITY };
    this.#active.push(entry);
    this.#strikeOpen(fault, () => this.#strike(entry));
    return () => this.#remove(entry);
  }

  /** Ends all faults; what has been struck stays so. */
  clear(): void {
    this.#active.length = 0;
  }

  /** The next fault of one of these types that strikes the request, counted as used. */
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

/** Whether a matcher means the request. */
export function matchesRequest(matcher: RequestMatcher, request: ApiRequest, watch: boolean): boolean {
  if (matcher.watch !== undefined && matcher.watch !== watch) return false;
  if (matcher.method !== undefined && matcher.method.toUpperCase() !== request.method) return false;
  if (matcher.path !== undefined && !request.path.startsWith(matcher.path)) return false;
  const query = request.query.toString();
  if (matcher.pattern === undefined) return true;
  const pattern = new RegExp(matcher.pattern);
  const asked = `${request.path}${query && `?${query}`}`;
  return withTimeLimit('the pattern of a fault', PATTERN_LIMIT_MS, () => pattern.test(asked));
}
