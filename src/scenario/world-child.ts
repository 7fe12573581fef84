import { fork, type ChildProcess } from 'node:child_process';
import { ScenarioError } from '../errors.ts';
import { latch, type Latch } from '../lib/latch.ts';
import { readReport, type WorldQuestion, type WorldReport } from './live/world-messages.ts';
import type { Moment } from './timeline.ts';

/** A process that answers this much later than it should is killed. */
export const GRACE_MS = 10_000;

type Done = Extract<WorldReport, { type: 'done' }>;

/** A question, and the time at which the process is given up. */
interface Asked {
  readonly answer: Latch<Done>;
  readonly timer: NodeJS.Timeout;
}

export interface WorldChildOptions {
  /** The file that it runs. */
  readonly entry: string;
  /** For the files of its worlds alone; it removes it at its end where nobody else can. */
  readonly folder: string;
  readonly maxWorlds: number;
}

/** A process for worlds, one after the other: what it is asked, and how it ends. */
export class WorldChild {
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, Asked>();
  readonly #ended = latch();
  readonly #maxWorlds: number;
  #worlds = 0;
  #ids = 0;
  #death: string | undefined;
  onMoments: (moments: readonly Moment[]) => void = () => {};

  constructor({ entry, folder, maxWorlds }: WorldChildOptions) {
    this.#maxWorlds = maxWorlds;
    this.#child = fork(entry, [folder], { serialization: 'advanced', execArgv: ['--max-semi-space-size=16'] });
    this.#child.on('message', (message) => this.#receive(readReport(message)));
    this.#child.once('error', (error) => this.#die(error.message));
    this.#child.once('exit', (code, signal) => this.#die(signal ?? `exit code ${code}`));
  }

  /** Whether it may have another world. */
  get isUsable(): boolean {
    return this.#death === undefined && this.#worlds < this.#maxWorlds;
  }

  async ask(question: WorldQuestion, limitMs: number): Promise<Done> {
    if (this.#death !== undefined) throw new ScenarioError(`the process of the world has ended: ${this.#death}`);
    if (question.type === 'open') this.#worlds += 1;
    const id = (this.#ids += 1);
    const answer = latch<Done>();
    const timer = setTimeout(() => this.kill(`no sign of life for ${limitMs / 1000} s`), limitMs);
    this.#asked.set(id, { answer, timer });
    this.#child.send({ ...question, id });
    try {
      return await answer.promise;
    } finally {
      clearTimeout(timer);
      this.#asked.delete(id);
    }
  }

  /** Whether this process may not end before it does: not while it waits for its next world. */
  hold(isHeld: boolean): void {
    const { channel } = this.#child;
    if (isHeld) {
      this.#child.ref();
      channel?.ref();
    } else {
      this.#child.unref();
      channel?.unref();
    }
  }

  kill(why: string): void {
    this.#child.kill('SIGKILL');
    this.#die(why);
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), GRACE_MS);
    this.hold(true);
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended.promise;
    clearTimeout(timer);
  }

  #receive(report: WorldReport): void {
    switch (report.type) {
      case 'ready':
        return;
      case 'moments':
        for (const { timer } of this.#asked.values()) timer.refresh();
        this.onMoments(report.moments);
        return;
      case 'done':
        this.#asked.get(report.id)?.answer.resolve(report);
        return;
      case 'failed': {
        const what = report.isExpected ? report.message : `a bug of hooklet: ${report.message}`;
        this.#asked.get(report.id)?.answer.reject(new ScenarioError(what));
      }
    }
  }

  #die(why: string): void {
    this.#death ??= why;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined)
      this.#ended.resolve();
    for (const { answer } of this.#asked.values()) {
      answer.reject(new ScenarioError(`the process of the world has ended: ${this.#death}`));
    }
  }
}
