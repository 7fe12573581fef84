import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A browser that logged in with a token, which is kept in memory alone. */
export interface Session {
  readonly token: string;
  /** What every form carries that changes something. */
  readonly form: { readonly csrf: string };
}

interface Kept extends Session {
  readonly user: string;
  readonly untilMs: number;
  lastMs: number;
}

const MAX_SESSIONS = 100;
const AGE_MS = 8 * 3_600_000;
const IDLE_MS = 3_600_000;
const MAX_COOKIES = 4096;

/**
 * The sessions of browsers: at most 100, each for 8 h and ended after 1 h without a request. The name of the cookie is
 * another one in each process, because a browser sends a cookie of `localhost` to every port.
 */
export class Sessions {
  readonly cookie = `hooklet-${randomBytes(4).toString('hex')}`;
  readonly #now: () => number;
  /** By the hash of their secrets. */
  readonly #kept = new Map<string, Kept>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Begins a session of a user; returns its secret, which is the value of the cookie. Where there are too many, the oldest
   * ends of the user who has most, so that nobody puts others out.
   */
  begin(token: string, user: string): string {
    const nowMs = this.#now();
    const secret = randomBytes(32).toString('base64url');
    for (const [key, kept] of this.#kept) if (isOver(kept, nowMs)) this.#kept.delete(key);
    if (this.#kept.size >= MAX_SESSIONS) this.#endOldest(user);
    const csrf = randomBytes(18).toString('base64url');
    this.#kept.set(hashOf(secret), { token, user, form: { csrf }, untilMs: nowMs + AGE_MS, lastMs: nowMs });
    return secret;
  }

  /** The session of a request, by its Cookie header. */
  of(header: string | undefined): Session | undefined {
    const secret = this.#secretIn(header);
    if (secret === undefined) return undefined;
    const key = hashOf(secret);
    const kept = this.#kept.get(key);
    const nowMs = this.#now();
    if (kept === undefined) return undefined;
    if (isOver(kept, nowMs)) {
      this.#kept.delete(key);
      return undefined;
    }
    kept.lastMs = nowMs;
    return kept;
  }

  end(header: string | undefined): void {
    const secret = this.#secretIn(header);
    if (secret !== undefined) this.#kept.delete(hashOf(secret));
  }

  /** Of the user who has most, with the session that is about to begin. */
  #endOldest(beginning: string): void {
    const counts = new Map([[beginning, 1]]);
    for (const { user } of this.#kept.values()) counts.set(user, (counts.get(user) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const oldest = [...this.#kept].find(([, { user }]) => counts.get(user) === most);
    if (oldest !== undefined) this.#kept.delete(oldest[0]);
  }

  #secretIn(header = ''): string | undefined {
    if (header.length > MAX_COOKIES) return undefined;
    const found = header
      .split(';')
      .map((one) => one.trim())
      .find((one) => one.startsWith(`${this.cookie}=`));
    return found?.slice(this.cookie.length + 1);
  }
}

function isOver({ untilMs, lastMs }: Kept, nowMs: number): boolean {
  return nowMs >= untilMs || nowMs - lastMs >= IDLE_MS;
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether two secrets are the same, in a time that does not tell how much of them is. */
export function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(createHash('sha256').update(given).digest(), createHash('sha256').update(secret).digest());
}
