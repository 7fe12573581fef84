/* Does the one disturbance of a world, when its number has come. Numbers count from 1 over the life of the world. */

import { isJsonObject, type Tapped, type TappedEvent, type TappedRequest } from '@hooklet/sandbox';
import type { Disturbance } from '../disturbance.ts';
import { nameOf, objectText } from './action-text.ts';
import type { Recorder } from './recorder.ts';
import type { Caller } from './world-cluster.ts';

export interface DisturberOptions {
  readonly disturbance: Disturbance | undefined;
  readonly recorder: Recorder;
  /** Ends the operator at this instant, and starts another one. */
  readonly crash: (what: string) => void;
}

const RESOURCE = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)\/./;
const UNCOUNTED = /\/(?:leases|events)(?:\/|\?|$)/;

/** A request without a token: some program that a hook calls. */
const UNKNOWN: Caller = { by: 'hook', life: 0, run: undefined };

/** Sees everything that is counted. */
export class Disturber {
  readonly #options: DisturberOptions;
  readonly #held: TappedEvent[] = [];
  #stale: 'no' | 'held' | 'restarted' | 'over' = 'no';
  #staleAt = '';

  constructor(options: DisturberOptions) {
    this.#options = options;
  }

  /** Whether hooks must wait after calls of stand-ins. */
  get mayStrikeCalls(): boolean {
    return this.#options.disturbance?.type === 'crash';
  }

  /** Counts an effect; returns its number. What it is about is in `what`. */
  effect(): number {
    const { recorder } = this.#options;
    recorder.effects += 1;
    return recorder.effects;
  }

  /** Called after the moment of an effect. */
  afterEffect(number: number, what: string): void {
    const { disturbance, crash } = this.#options;
    if (disturbance?.type === 'crash' && disturbance.afterEffect === number) crash(`the operator, after ${what}`);
  }

  /** Passes on an event of a watch of the operator. */
  event(event: TappedEvent): void {
    const { recorder } = this.#options;
    recorder.events += 1;
    const number = recorder.events;
    const object = nameOf(event.object);
    const what = `event ${number} (${event.type} ${objectText(object)})`;
    const strikes = this.#strikesEvent(number);
    if (strikes === 'stale') this.#hold(event, what);
    if (this.#stale === 'held' || this.#stale === 'restarted') {
      this.#held.push(event);
      return;
    }
    recorder.add({ type: 'delivered', event: number, change: event.type, object });
    if (strikes === 'skip') recorder.add({ type: 'disturbed', text: `skipped: ${what}` });
    else event.send();
    if (strikes !== 'double') return;
    recorder.add({ type: 'disturbed', text: `delivered twice: ${what}` });
    event.send();
  }

  /** Sees a request, and says what becomes of it. */
  request(asked: TappedRequest, caller: Caller | undefined): Tapped | undefined {
    const who = caller ?? UNKNOWN;
    if (who.by === 'scenario') return undefined;
    if (asked.isWatch) return this.#watched(asked, who);
    const isOfOperator = who.by === 'hooklet' && who.run === undefined;
    if (isOfOperator) return this.#stale === 'restarted' ? { staleAt: this.#staleAt } : undefined;
    if (!RESOURCE.test(asked.path) || UNCOUNTED.test(asked.path)) return undefined;
    const { recorder } = this.#options;
    recorder.requests += 1;
    const number = recorder.requests;
    const { method, path } = asked;
    const run = who.run === undefined ? {} : { run: who.run };
    const answered = (code: number): void =>
      recorder.add({ type: 'request', request: number, by: who.by, ...run, method, path, code });
    return { answered, ...this.#refusal(number, `${method} ${path.slice(0, 200)}`) };
  }

  #strikesEvent(number: number): 'skip' | 'double' | 'stale' | undefined {
    const { disturbance } = this.#options;
    if (disturbance === undefined || !('event' in disturbance) || disturbance.event !== number) return undefined;
    return disturbance.type;
  }

  #refusal(number: number, text: string): Tapped {
    const { disturbance, recorder } = this.#options;
    if (disturbance?.type !== 'refuse' || disturbance.request !== number) return {};
    const { how } = disturbance;
    const what = `request ${number} (${text})`;
    recorder.add({
      type: 'disturbed',
      text: how === 'timeout' ? `not answered: ${what}` : `refused with ${how}: ${what}`,
    });
    return how === 'timeout' ? { isAnswerLost: true } : { refuse: how };
  }

  /**
   * The world is at rest. Returns whether something is left to be done for the disturbance: the operator that was kept in
   * the past acts on what it knows, from a start; then it sees all.
   */
  atRest(): boolean {
    if (this.#stale === 'held') {
      this.#stale = 'restarted';
      this.#held.length = 0;
      this.#options.crash('the operator, which starts with the cluster as it was');
      return true;
    }
    if (this.#stale !== 'restarted') return false;
    this.#stale = 'over';
    this.#options.recorder.add({ type: 'disturbed', text: 'the operator sees the cluster as it is' });
    for (const event of this.#held.splice(0)) this.event({ ...event });
    return true;
  }

  #hold(event: TappedEvent, what: string): void {
    this.#stale = 'held';
    const { metadata } = event.object;
    const version = isJsonObject(metadata) ? Number(metadata['resourceVersion']) : 0;
    this.#staleAt = String(Math.max(1, version - 1));
    this.#options.recorder.add({ type: 'disturbed', text: `held back from here on: ${what}` });
  }

  /** An operator in the past must list, because a watch of the present would show it the present. */
  #watched({ path }: TappedRequest, { by }: Caller): Tapped | undefined {
    const isPast = this.#stale === 'restarted' && by === 'hooklet';
    return isPast && path.includes('sendInitialEvents=true') ? { refuse: 422 } : undefined;
  }
}
