import type { EventToRecord } from 'hooklet';
import type { Source, SourceKind } from './resources.ts';

/** What the status of a monitor or rule says for a Prometheus, and what it is to say; '': nothing. */
export interface Saying {
  readonly kind: SourceKind;
  readonly source: Source<unknown>;
  readonly is: string;
  readonly wanted: string;
  readonly event?: EventToRecord;
}

interface Due<S> {
  /** What is to be written in this run. */
  readonly due: readonly S[];
  /** What the API server did not take. */
  readonly refused: readonly S[];
  /** Events of a run that failed, which nobody saw. */
  readonly lost: readonly EventToRecord[];
  /** When what is left may be written. */
  readonly seconds?: number;
}

interface Try {
  readonly text: string;
  readonly count: number;
  readonly atMs: number;
  readonly event?: EventToRecord;
}

const SETTLE_MS = 5_000;
const LATEST_MS = 3_600_000;
const MAX_LEAVING = 3;
const MAX_KNOWN = 200;
/** By the uid of the Prometheus, then by that of the source: what was written and is not seen yet. */
const tried = new Map<string, Map<string, Try>>();

/**
 * Decides what is written now. A patch that is refused fails the whole run, so all others are in its batch, nothing is
 * written in the 5 s after it, and what is not seen by then is written less and less often, at last each hour. For a
 * Prometheus that leaves it is written three times in all.
 */
export function dueWrites<S extends Saying>(
  owner: string,
  sayings: readonly S[],
  { isLeaving, isRetry }: { readonly isLeaving: boolean; readonly isRetry: boolean },
): Due<S> {
  const now = Date.now();
  const tries = triesOf(owner);
  // The clock was set back since.
  for (const [uid, one] of tries) if (one.atMs > now) tries.set(uid, { ...one, atMs: now });
  const lost = isRetry ? takeEvents(tries) : [];
  forgetSeen(tries, sayings);
  const left = sayings.filter(({ is, wanted }) => is !== wanted);
  const tryOf = ({ source }: S) => tries.get(source.metadata.uid);
  // Until then it is not known what became of the last batch.
  const nextMs = Math.max(...[...tries.values()].map(({ atMs }) => atMs + SETTLE_MS));
  const waitOf = (one: S): number => {
    const { count = 0, atMs = 0 } = tryOf(one) ?? {};
    if (isLeaving) return count < MAX_LEAVING ? 0 : LATEST_MS;
    return Math.max(nextMs, count === 0 ? 0 : atMs + holdMs(count)) - now;
  };
  const waits = left.map((one) => [one, waitOf(one)] as const);
  const due = waits.filter(([, wait]) => wait <= 0).map(([one]) => one);
  const later = waits.map(([, wait]) => wait).filter((wait) => wait > 0);
  const refused = left.filter((one) => {
    const found = tryOf(one);
    return found !== undefined && (found.count > 1 || now - found.atMs >= SETTLE_MS);
  });
  for (const one of due) {
    const { wanted: text, event, source } = one;
    const count = (tryOf(one)?.count ?? 0) + 1;
    tries.set(source.metadata.uid, { text, count, atMs: now, ...(event !== undefined && { event }) });
  }
  return { due, refused, lost, ...(later.length > 0 && { seconds: Math.ceil(Math.min(...later) / 1000) }) };
}

function triesOf(owner: string): Map<string, Try> {
  const tries = tried.get(owner) ?? new Map<string, Try>();
  // The one that was used last is the last to go.
  tried.delete(owner);
  tried.set(owner, tries);
  const [first] = tried.keys();
  if (tried.size > MAX_KNOWN && first !== undefined) tried.delete(first);
  return tries;
}

function holdMs(count: number): number {
  return Math.min(SETTLE_MS * 5 ** (count - 1), LATEST_MS);
}

function takeEvents(tries: Map<string, Try>): readonly EventToRecord[] {
  return [...tries].flatMap(([uid, { event, ...rest }]) => {
    tries.set(uid, rest);
    return event ?? [];
  });
}

function forgetSeen(tries: Map<string, Try>, sayings: readonly Saying[]): void {
  const all = new Map(sayings.map((one) => [one.source.metadata.uid, one]));
  for (const [uid, { text }] of tries) {
    const one = all.get(uid);
    if (one === undefined || one.is === text || one.is === one.wanted) tries.delete(uid);
  }
}
