/** A request that waits for the filter process. */
export interface FilterJob {
  /** Type and expression. */
  readonly filter: string;
  /** The namespace of the object; tenants take turns. */
  readonly tenant: string;
  /** Identifies this version of the object; empty when nothing does. */
  readonly version: string;
  readonly bytes: number;
}

export interface Turn<J> {
  readonly job: J;
  readonly limitMs: number;
}

/** The time limits of a filter in the slow lane and in the quick lane. */
const LIMIT_MS = 1000;
const FIRST_LIMIT_MS = 100;
/** How long a job waits in a lane before it expires. */
const QUICK_WAIT_MS = 30_000;
const SLOW_WAIT_MS = 10_000;
const MAX_WAITING_BYTES = 64 * 2 ** 20;
const MAX_REMEMBERED = 10_000;
/**
 * After this many interrupted turns of a filter on objects of one tenant, its next jobs for that tenant start in the
 * slow lane.
 */
const STRIKES = 3;
const STRIKE_MS = 600_000;

interface Waiting<J> {
  readonly job: J;
  readonly untilMs: number;
}

/**
 * Decides which waiting filter runs next in the filter process, so that slow filters of one namespace delay the others
 * as little as possible. It is plain state without timers: `FilterProcess` calls `add` for a request, `next` when the
 * process is free, `done` or `stopped` after each turn, and `expired` at `expiresAtMs`.
 *
 * A job begins in the quick lane, where it has 100 ms; if that is not enough, it moves to the slow lane, where it has 1
 * s. While jobs wait in the quick lane, the slow lane gets at most half of the time. In each lane the tenants take
 * turns. A job leaves the queue as done, as stopped for good, or as expired: after 30 s in the quick lane or 10 s in
 * the slow one.
 *
 * What must hold: at most 64 MiB of objects wait. A filter that was stopped on a version of an object is not run on
 * that version again, and other filters on that version start in the slow lane.
 */
export class FilterQueue<J extends FilterJob> {
  readonly #quick = new Map<string, Waiting<J>[]>();
  readonly #slow = new Map<string, Waiting<J>[]>();
  /** Why a filter was stopped on a version of an object, by version and filter; also each such version by itself. */
  readonly #stopped = new Map<string, string>();
  readonly #strikes = new Map<string, { readonly count: number; readonly untilMs: number }>();
  #waitingBytes = 0;
  /** How long quick jobs still go first, to make up for the time of the last slow one. */
  #owedMs = 0;

  /** When the next waiting job expires; `undefined` when none waits. */
  get expiresAtMs(): number | undefined {
    let first = Number.POSITIVE_INFINITY;
    for (const lane of [this.#quick, this.#slow]) {
      for (const [waiting] of lane.values()) first = Math.min(first, waiting?.untilMs ?? Infinity);
    }
    return Number.isFinite(first) ? first : undefined;
  }

  /**
   * Adds a job; returns a reason if it is refused, because it was stopped before on the same version or too much waits.
   */
  add(job: J, nowMs: number): string | undefined {
    const known = job.version === '' ? undefined : this.#stopped.get(`${job.version} ${job.filter}`);
    if (known !== undefined) return known;
    if (this.#waitingBytes + job.bytes > MAX_WAITING_BYTES) return TOO_MANY;
    const isSlow = this.#stopped.has(job.version) || this.#hasStruckOut(job, nowMs);
    this.#put(isSlow ? this.#slow : this.#quick, { job, untilMs: nowMs + (isSlow ? SLOW_WAIT_MS : QUICK_WAIT_MS) });
    return undefined;
  }

  /** Takes out the job whose turn it is; `undefined` when none waits. */
  next(nowMs: number): Turn<J> | undefined {
    for (;;) {
      const isSlowDue = this.#quick.size === 0 || (this.#slow.size > 0 && this.#owedMs <= 0);
      const waiting = this.#take(isSlowDue ? this.#slow : this.#quick);
      if (waiting === undefined) return undefined;
      const { job } = waiting;
      if (isSlowDue || !this.#hasStruckOut(job, nowMs)) return { job, limitMs: isSlowDue ? LIMIT_MS : FIRST_LIMIT_MS };
      // It was added before other jobs of its filter and tenant were stopped.
      this.#put(this.#slow, { job, untilMs: nowMs + SLOW_WAIT_MS });
    }
  }

  /** Records that the job of a turn ended by itself. */
  done({ limitMs }: Turn<J>, tookMs: number): void {
    this.#charge(limitMs, tookMs);
  }

  /**
   * Records that a turn had to be interrupted. Returns true if the job is queued again, false if it has failed for
   * good.
   */
  stopped({ job, limitMs }: Turn<J>, { tookMs, nowMs, reason }: Stop): boolean {
    this.#charge(limitMs, tookMs);
    const strikes = this.#strikes.get(strikeKey(job))?.count ?? 0;
    remember(this.#strikes, strikeKey(job), { count: strikes + 1, untilMs: nowMs + STRIKE_MS });
    if (limitMs < LIMIT_MS && reason === undefined) {
      this.#put(this.#slow, { job, untilMs: nowMs + SLOW_WAIT_MS });
      return true;
    }
    if (job.version !== '') {
      remember(this.#stopped, `${job.version} ${job.filter}`, reason ?? stoppedReason(LIMIT_MS));
      remember(this.#stopped, job.version, '');
    }
    return false;
  }

  /** Takes out the jobs that have expired. */
  expired(nowMs: number): readonly J[] {
    const jobs: J[] = [];
    for (const lane of [this.#quick, this.#slow]) {
      for (const [tenant, line] of lane) {
        while ((line[0]?.untilMs ?? Infinity) <= nowMs) {
          const waiting = line.shift();
          if (waiting === undefined) break;
          this.#waitingBytes -= waiting.job.bytes;
          jobs.push(waiting.job);
        }
        if (line.length === 0) lane.delete(tenant);
      }
    }
    return jobs;
  }

  #hasStruckOut(job: J, nowMs: number): boolean {
    const strikes = this.#strikes.get(strikeKey(job));
    return strikes !== undefined && strikes.count >= STRIKES && strikes.untilMs > nowMs;
  }

  #charge(limitMs: number, tookMs: number): void {
    this.#owedMs = limitMs < LIMIT_MS ? Math.max(0, this.#owedMs - tookMs) : tookMs;
  }

  #put(lane: Map<string, Waiting<J>[]>, waiting: Waiting<J>): void {
    this.#waitingBytes += waiting.job.bytes;
    // The first job of an empty slow lane lets quick jobs go first for as long as it may take itself.
    if (lane === this.#slow && lane.size === 0) this.#owedMs = LIMIT_MS;
    const line = lane.get(waiting.job.tenant);
    if (line === undefined) lane.set(waiting.job.tenant, [waiting]);
    else line.push(waiting);
  }

  /** Takes out the first job of the tenant whose turn it is, and puts that tenant behind all others. */
  #take(lane: Map<string, Waiting<J>[]>): Waiting<J> | undefined {
    const [entry] = lane;
    if (entry === undefined) return undefined;
    const [tenant, line] = entry;
    const waiting = line.shift();
    lane.delete(tenant);
    if (line.length > 0) lane.set(tenant, line);
    if (waiting !== undefined) this.#waitingBytes -= waiting.job.bytes;
    return waiting;
  }
}

interface Stop {
  readonly tookMs: number;
  readonly nowMs: number;
  /** Why the job failed, such as a lack of memory; absent when it ran into its time limit. */
  readonly reason?: string | undefined;
}

/** The error of a filter that ran into its time limit. */
export function stoppedReason(limitMs: number): string {
  return `the filter was stopped after ${limitMs} ms`;
}

/** The error of a filter that expired or was refused. */
export const TOO_MANY = `the filter was not run: too many slow filters wait before it`;

function strikeKey({ tenant, filter }: FilterJob): string {
  return `${tenant} ${filter}`;
}

/** Sets an entry, and removes the oldest one above 10,000. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= MAX_REMEMBERED) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
