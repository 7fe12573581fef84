import { UsageError } from '../../errors.ts';
import type { RuntimeConfig, RuntimeParameter } from '../../hook/debug-view.ts';
import { shown } from '../../lib/shown.ts';
import type { LogLevel, LogLevels, Logger } from '../../log.ts';

const NAME = 'log.level';
const DEBUG_MS = 30 * 60_000;
const DESCRIPTION = 'Global log level. Default duration for debug level is 30m0s';
/** The words of shell-operator, which has two levels more. */
const LEVELS: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  fatal: 'error',
};

export interface RuntimeConfigOptions {
  readonly levels: LogLevels;
  readonly now: () => number;
  readonly log: Logger;
}

interface Temporary {
  readonly value: string;
  readonly untilMs: number;
}

/**
 * The parameters that can be changed while the operator runs: the level of the log. A level that is set for a time, and
 * `debug` unless a time is given, ends after it, when the level that was set before for good is there again.
 */
export class LogLevelConfig implements RuntimeConfig {
  readonly #options: RuntimeConfigOptions;
  readonly #initial: string;
  #value: string;
  #temporary: Temporary | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RuntimeConfigOptions) {
    this.#options = options;
    this.#initial = options.levels.level;
    this.#value = this.#initial;
  }

  list(): readonly RuntimeParameter[] {
    const temporary = this.#temporary;
    const value = temporary?.value ?? this.#value;
    const expiry = temporary && { expireAt: `${new Date(temporary.untilMs).toISOString().slice(0, 19)}Z` };
    return [{ name: NAME, description: DESCRIPTION, default: this.#initial, value, ...expiry }];
  }

  set(name: string, value: string, durationMs: number | undefined): void {
    if (name !== NAME) throw new UsageError(`unknown runtime parameter ${shown(name)}`);
    const level = levelOf(value);
    if (level === undefined) throw new UsageError("'value' parameter is invalid: no level found");
    this.end();
    const forMs = durationMs ?? (value.toLowerCase() === 'debug' ? DEBUG_MS : undefined);
    if (forMs === undefined) this.#value = value;
    else this.#setFor(value, Math.max(0, forMs));
    this.#apply(value);
  }

  /** Ends the wait for the end of a level that is set for a time. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#temporary = undefined;
  }

  #setFor(value: string, durationMs: number): void {
    this.#temporary = { value, untilMs: this.#options.now() + durationMs };
    this.#timer = setTimeout(
      () => {
        this.end();
        this.#apply(this.#value);
      },
      Math.min(durationMs, 2 ** 31 - 1),
    ).unref();
  }

  #apply(value: string): void {
    const { levels, log } = this.#options;
    log.info({ value }, 'log level is changed');
    levels.level = levelOf(value) ?? levels.level;
  }
}

function levelOf(value: string): LogLevel | undefined {
  const word = value.toLowerCase();
  return Object.hasOwn(LEVELS, word) ? LEVELS[word] : undefined;
}
