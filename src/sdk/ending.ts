const LATER = Symbol.for('hooklet.later');
const PERMANENT = Symbol.for('hooklet.permanent');

const DURATION = /^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const REASON = /^[A-Z][A-Za-z0-9]{0,127}$/;
const MAX_MESSAGE_BYTES = 1024;
const MAX_DURATION_LENGTH = 100;

/**
 * Thrown by a hook whose work cannot be done yet, which is no failure: what it asked so far is carried out, and it runs
 * again after `retryAfter`, a duration such as `30s`.
 */
export class Later extends Error {
  override readonly name = 'Later';
  readonly [LATER] = true;
  readonly retryAfter: string | undefined;

  constructor(retryAfter?: string, message = '') {
    super(message);
    this.retryAfter = retryAfter === undefined ? undefined : checkDuration('new Later', retryAfter);
  }
}

/**
 * Thrown by a hook that fails and will fail again, until its input changes; `reason` is one word in CamelCase.
 */
export class Permanent extends Error {
  override readonly name = 'Permanent';
  readonly [PERMANENT] = true;
  readonly reason: string;

  constructor(reason: string, message = '') {
    super(message);
    this.reason = checkReason('new Permanent', reason);
  }
}

/** How a run ended that threw a `Later` or a `Permanent`. */
export interface ThrownEnding {
  readonly outcome: 'later' | 'permanent';
  readonly retryAfter?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** What a thrown value says about its run; undefined for any other error. Also of those of another copy of this module. */
export function thrownEnding(error: unknown): ThrownEnding | undefined {
  try {
    if (typeof error !== 'object' || error === null) return undefined;
    const outcome = LATER in error ? 'later' : 'permanent';
    if (outcome === 'permanent' && !(PERMANENT in error)) return undefined;
    const texts = ['retryAfter', 'reason', 'message'].map((name) => [name, Reflect.get(error, name)] as const);
    const given = texts.filter(([, text]) => typeof text === 'string' && text !== '');
    return { outcome, ...Object.fromEntries(given.map(([name, text]) => [name, shortened(String(text))])) };
  } catch {
    // A getter or a proxy of the author threw.
    return undefined;
  }
}

/** Returns a Go duration of more than nothing, or throws. */
export function checkDuration(call: string, text: string): string {
  if (text.length <= MAX_DURATION_LENGTH && DURATION.test(text) && /[1-9]/.test(text)) return text;
  throw new TypeError(
    `${call}: got ${JSON.stringify(text.slice(0, 60))}, expected a duration such as "30s" or "1h30m"`,
  );
}

/** Returns a word in CamelCase, or throws. */
export function checkReason(call: string, text: string): string {
  if (REASON.test(text)) return text;
  const got = JSON.stringify(text.slice(0, 60));
  throw new TypeError(`${call}: got ${got} as the reason, expected one word in CamelCase such as "QuotaExceeded"`);
}

/** A message of at most 1 KiB, the end of a longer one cut off. */
export function shortened(message: string): string {
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= MAX_MESSAGE_BYTES) return message.toWellFormed();
  const ELLIPSIS = '…';
  const kept = new TextDecoder().decode(bytes.subarray(0, MAX_MESSAGE_BYTES - ELLIPSIS.length * 3));
  // The cut may be within a character.
  return `${kept.replace(/\uFFFD$/, '')}${ELLIPSIS}`;
}
