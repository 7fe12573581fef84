import { printableLine } from '../../lib/printable.ts';
import { shownText } from '../../lib/shown.ts';
import type { OnPlan } from '../../scenario/perturb/report.ts';
import type { Scenario } from '../../scenario/scenario.ts';

/** What is used of standard error. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface ProgressOptions {
  readonly terminal: Terminal;
  readonly nowMs: () => number;
}

const EVERY_MS = 100;
const COLUMNS = 80;
const CLEAR = '\r\u001b[K';

/** A line of a terminal that says how far the perturbations are, and is written again as they go on; nothing elsewhere. */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #beganMs: number;
  #plans = 0;
  #shownMs = -Infinity;
  #isShown = false;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#beganMs = options.nowMs();
  }

  /** A perturbation was played. */
  plan({ name }: Scenario, ...[kind, played, all]: Parameters<OnPlan>): void {
    const { terminal, nowMs } = this.#options;
    this.#plans += 1;
    if (terminal.isTTY !== true || nowMs() - this.#shownMs < EVERY_MS) return;
    this.#shownMs = nowMs();
    const seconds = Math.round((this.#shownMs - this.#beganMs) / 1000);
    const text = `${this.#plans} played in ${seconds} s, ${kind} ${played} of ${all}: ${name}`;
    terminal.write(`${CLEAR}${shownText(printableLine(text), (terminal.columns ?? COLUMNS) - 2)}`);
    this.#isShown = true;
  }

  /** Takes the line away, for what is printed next. */
  clear(): void {
    if (this.#isShown) this.#options.terminal.write(CLEAR);
    this.#isShown = false;
  }
}
