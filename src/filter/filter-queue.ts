/** What waits for the filter process. */
export interface FilterJob {
  /** Type and expression. */
  readonly filter: string;
  /** Who the object belongs to: no one waits behind all objects of another. */
  readonly tenant: string;
  /** Names this version of the object; empty where nothing does. */
  readonly version: string;
  readonly bytes: number;
}

export interface Turn<J> {
  readonly job: J;
  readonly limitMs: number;
}

/** How long a filter may take in the end, and how long at first: whoever needs more lets the others go first. */
const LIMIT_MS = 1000;
const FIRST_LIMIT_MS = 100;
/** From the moment a job comes into a lane until it has its turn there. */
const QUICK_WAIT_MS = 30_000;
const SLOW_WAIT_MS = 10_000;
const MAX_WAITING_BYTES = 64 * 2 ** 20;
const MAX_REMEMBERED = 10_000;
/** After so many turns of one filter on objects of a tenant that had to be ended, its next ones begin in the slow lane. */
const STRIKES = 3;
const STRIKE_MS = 600_000;

interface Waiting<J> {
  readonly job: J;
  readonly untilMs: number;
}

/**
 * Who is next. Tenants take turns. There are two lanes: the quick one, in which a filter has 100 ms, and the slow one for
 * those that did not end by then, with the whole second. The slow lane gets at most half of the time while anything
 * waits in the quick one.
 */
export class FilterQueue<J extends FilterJob> {
  readonly #quick = new Map<string, Waiting<J>[]>();
  readonly #slow = new Map<string, Waiting<J>[]>();
  /** The versions of objects on which a filter had to be stopped, alone and with the filter. */
  readonly #stopped = new Map<string, string>();
  readonly #strikes = new Map<string, { readonly count: number; readonly untilMs: number }>();
  #waitingBytes = 0;
  /** How long quick jobs go first, for what the last slow one took. */
  #owedMs = 0;

  /** When the one that waits longest has waited long enough; undefined where none waits. */
  get expiresAtMs(): number | undefined {
    let first = Number.POSITIVE_INFINITY;
    for (const lane of [this.#quick, this.#slow]) {
      for (const [waiting] of lane.values()) first = Math.min(first, waiting?.untilMs ?? Infinity);
    }
    return Number.isFinite(first) ? first : undefined;
  }

  /** Takes a job; a reason where it is not run: it is known how it ends, or too much waits. */
  add(job: J, nowMs: number): string | undefined {
    const known = job.version === '' ? undefined : this.#stopped.get(`${job.version} ${job.filter}`);
    if (known !== undefined) return known;
    if (this.#waitingBytes + job.bytes > MAX_WAITING_BYTES) return TOO_MANY;
    const isSlow = this.#stopped.has(job.version) || this.#hasStruckOut(job, nowMs);
    this.#put(isSlow ? this.#slow : this.#quick, { job, untilMs: nowMs + (isSlow ? SLOW_WAIT_MS : QUICK_WAIT_MS) });
    return undefined;
  }

  next(nowMs: number): Turn<J> | undefined {
    for (;;) {
      const isSlowDue = this.#quick.size === 0 || (this.#slow.size > 0 && this.#owedMs <= 0);
      const waiting = this.#take(isSlowDue ? this.#slow : this.#quick);
      if (waiting === undefined) return undefined;
      const { job } = waiting;
      if (isSlowDue || !this.#hasStruckOut(job, nowMs)) return { job, limitMs: isSlowDue ? LIMIT_MS : FIRST_LIMIT_MS };
      // Came before the others of its kind were stopped.
      this.#put(this.#slow, { job, untilMs: nowMs + SLOW_WAIT_MS });
    }
  }

  /** A turn is over, its job done. */
  done({ limitMs }: Turn<J>, tookMs: number): void {
    this.#charge(limitMs, tookMs);
  }

  /** A turn had to be ended. True: the job has another one, when it comes to it; `reason` is what its like hear later. */
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

  /** Those that have waited long enough, which leave. */
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
    // Whoever begins to wait there lets the quick ones go first for as long as it may take itself.
    if (lane === this.#slow && lane.size === 0) this.#owedMs = LIMIT_MS;
    const line = lane.get(waiting.job.tenant);
    if (line === undefined) lane.set(waiting.job.tenant, [waiting]);
    else line.push(waiting);
  }

  /** The first of the tenant whose turn it is; its next one waits behind all other tenants. */
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
  /** Why there is no other turn; absent where it was the time. */
  readonly reason?: string | undefined;
}

export function stoppedReason(limitMs: number): string {
  return `the filter was stopped after ${limitMs} ms`;
}

export const TOO_MANY = `the filter was not run: too many that take long wait before it`;

function strikeKey({ tenant, filter }: FilterJob): string {
  return `${tenant} ${filter}`;
}

/** The oldest entries give way. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= MAX_REMEMBERED) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
