import { plainDocument } from './plain-document.ts';

export interface MetricOptions {
  readonly labels?: Readonly<Record<string, string>>;
  /** A run that mentions a group replaces all series of that group. */
  readonly group?: string;
  /** Applied even if the run fails. */
  readonly ignoreHookError?: boolean;
}

export interface ObserveOptions extends MetricOptions {
  readonly buckets: readonly number[];
}

/**
 * Reports metrics on `/metrics/hooks`. They are applied after the run; if it fails, only those with `ignoreHookError`.
 */
export class Metric {
  readonly #documents: string[] = [];

  /** Sets a gauge. */
  set(name: string, value: number, options: MetricOptions = {}): void {
    this.#add('set', { name, action: 'set', value, ...options });
  }

  /** Adds to a counter. */
  add(name: string, value: number, options: MetricOptions = {}): void {
    this.#add('add', { name, action: 'add', value, ...options });
  }

  /** Adds an observation to a histogram. */
  observe(name: string, value: number, options: ObserveOptions): void {
    this.#add('observe', { name, action: 'observe', value, ...options });
  }

  /** Removes all series of a group. */
  expire(group: string): void {
    this.#add('expire', { group, action: 'expire' });
  }

  /** The metrics file of this run. */
  toString(): string {
    return this.#documents.join('');
  }

  #add(method: string, operation: Readonly<Record<string, unknown>>): void {
    this.#documents.push(plainDocument(`metric.${method}`, operation));
  }
}
