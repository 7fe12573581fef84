import type { JsonObject } from '@hooklet/sandbox';
import { ScenarioError } from '../errors.ts';
import type { WorldQuestion, WorldValue } from './live/world-messages.ts';
import type { Moment } from './timeline.ts';
import { GRACE_MS, type WorldChild } from './world-child.ts';
import type { Acted, Action, Given, World } from './world.ts';

const DEFAULT_LIMIT_MS = 30_000;

/** A world in a process of its own. `release` is called when it is closed. */
export class RemoteWorld implements World {
  readonly #process: WorldChild;
  readonly #given: Given;
  readonly #release: () => void;
  readonly #timeline: Moment[] = [];
  #isClosed = false;
  #nowMs: number;

  constructor(process: WorldChild, given: Given, release: () => void) {
    this.#process = process;
    this.#given = given;
    this.#release = release;
    this.#nowMs = given.startMs;
    process.onMoments = (moments) => this.#timeline.push(...moments);
  }

  get timeline(): readonly Moment[] {
    return this.#timeline;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  async open(): Promise<void> {
    await this.#ask({ type: 'open', given: this.#given });
  }

  async act(action: Action): Promise<Acted> {
    const from = this.#timeline.length;
    const { answer } = await this.#ask({ type: 'act', action });
    return { from, to: this.#timeline.length, ...(answer && { answer }) };
  }

  async objects(): Promise<readonly JsonObject[]> {
    return (await this.#ask({ type: 'objects' })).objects ?? [];
  }

  async metrics(): Promise<string> {
    return (await this.#ask({ type: 'metrics' })).metrics ?? '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#ask({ type: 'close' });
    } catch {
      // A process that cannot close its world is not used again.
      this.#process.kill('its world could not be closed');
    }
    this.#isClosed = true;
    this.#process.onMoments = () => {};
    this.#release();
  }

  async #ask(question: WorldQuestion): Promise<WorldValue> {
    if (this.#isClosed) throw new ScenarioError('the world is closed');
    const limitMs = (this.#given.limitMs ?? DEFAULT_LIMIT_MS) + GRACE_MS;
    const { value, nowMs } = await this.#process.ask(question, limitMs);
    this.#nowMs = nowMs;
    return value;
  }
}
