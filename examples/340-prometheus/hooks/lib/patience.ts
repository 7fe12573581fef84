/** Pods that took too long to answer, by their uid, and when each may be asked again. */
const slow = new Map<string, Slow>();
/** Prometheuses of which several Pods did so, by their uid, and until when none of theirs is asked. */
const paused = new Map<string, number>();

interface Slow {
  readonly message: string;
  readonly waitMs: number;
  readonly untilMs: number;
}

const BUSY_MS = 15_000;
const FIRST_MS = 10_000;
const LATEST_MS = 300_000;
const PAUSE_MS = 60_000;
const MAX_KNOWN = 1000;

/** Why a Pod is not asked now, and in how many seconds it may be; undefined: it is asked. */
export function notNow(owner: string, pod: string): { readonly message: string; readonly seconds: number } | undefined {
  const now = Date.now();
  const own = slow.get(pod);
  const untilMs = Math.max(own?.untilMs ?? 0, paused.get(owner) ?? 0);
  // No wait is longer, unless the clock was set back.
  if (untilMs <= now || untilMs > now + LATEST_MS) return undefined;
  const message = own?.message ?? 'its turn comes later, since other Pods take too long to answer';
  return { message, seconds: Math.ceil((untilMs - now) / 1000) };
}

/** Has a Pod that took too long wait: for 15 s where it answered, else twice as long as before, 5 min at most. */
export function tookLong(pod: string, message: string, isSilent: boolean): void {
  const doubled = Math.min((slow.get(pod)?.waitMs ?? FIRST_MS / 2) * 2, LATEST_MS);
  // What answers begins anew.
  const waitMs = isSilent ? doubled : FIRST_MS / 2;
  slow.delete(pod);
  slow.set(pod, { message, waitMs, untilMs: Date.now() + (isSilent ? waitMs : BUSY_MS) });
  forgetFirst(slow);
}

/** Has all Pods of a Prometheus wait, for a minute where several did not answer. */
export function pause(owner: string, isSilent: boolean): void {
  paused.delete(owner);
  paused.set(owner, Date.now() + (isSilent ? PAUSE_MS : BUSY_MS));
  forgetFirst(paused);
}

/** Nothing is held against a Pod that answers. */
export function answered(pod: string): void {
  slow.delete(pod);
}

function forgetFirst(map: Map<string, unknown>): void {
  const [first] = map.keys();
  if (map.size > MAX_KNOWN && first !== undefined) map.delete(first);
}
