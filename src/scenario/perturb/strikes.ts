/*
 * Which disturbances of an undisturbed run are worth playing. What is left out cannot matter, or repeats what is played:
 *
 * - watch events (`skip`, `double`, `stale`) after which no run wrote anything: none of the next two runs of any hook; of
 *   the pasts of the cluster in which an operator starts again, those that are the same;
 * - effects, requests and calls of the same shape on the same object by the same hook: of more than three, the first two and
 *   the last are played;
 * - of requests, discovery, which is no hook's own, and 409 and 429 for reads;
 * - actions that brought the operator no watch event, or that ask it themselves, for an operator that is down.
 */

import type { PerturbKind } from '../scenario.ts';
import type { Call, Delivered, Moment, Request, Write } from '../timeline.ts';
import { isOwnChange, shownName } from './oracle.ts';
import { revisionBefore } from './past.ts';
import type { Plan } from './plan.ts';

/** What a kind could disturb, and what of it is worth it. */
export interface Strikes {
  /** How many there are before pruning. */
  readonly all: number;
  readonly plans: readonly Strike[];
}

/** A plan, where in the undisturbed run it strikes, and what it does, in words. */
export interface Strike {
  readonly plan: Plan;
  /** The action during which it strikes. */
  readonly step: number;
  readonly words: string;
}

/** The disturbances of one kind; `twice` and `misuse` are no disturbances of a run and have none. */
export function strikesOf(kind: PerturbKind, timeline: readonly Moment[]): Strikes {
  switch (kind) {
    case 'twice':
    case 'misuse':
      return { all: 0, plans: [] };
    case 'crash':
      return crashes(timeline);
    case 'skip':
      return joined(watchStrikes('skip', timeline), downs(timeline));
    case 'stale':
      return joined(watchStrikes(kind, timeline), pasts(timeline));
    case 'double':
      return watchStrikes(kind, timeline);
    case 'refuse':
      return refusals(timeline);
    case 'app':
      return answers(timeline);
  }
}

/** At most so many of the plans, from the first on and over the whole story. */
export function spread<T>(plans: readonly T[], most: number): readonly T[] {
  const share = Math.min(1, most / plans.length);
  return plans.filter((_, index) => Math.floor(index * share) !== Math.floor((index - 1) * share));
}

function joined(one: Strikes, other: Strikes): Strikes {
  return { all: one.all + other.all, plans: [...one.plans, ...other.plans] };
}

function crashes(timeline: readonly Moment[]): Strikes {
  const effects = timeline.filter((moment) => moment.type === 'write' || moment.type === 'call');
  const found = effects.flatMap((moment) =>
    moment.effect === undefined ? [] : [{ ...moment, effect: moment.effect }],
  );
  const kept = firstTwoAndLast(found, (effect) => (effect.type === 'call' ? callShape(effect) : writeShape(effect)));
  return {
    all: found.length,
    plans: kept.map((moment) => {
      const what = moment.type === 'call' ? shownCall(moment) : shownWrite(moment);
      return {
        plan: { kind: 'crash', disturbance: { type: 'crash', afterEffect: moment.effect } },
        step: moment.step,
        words: `killed after the ${ordinal(moment.effect)} effect (${what})`,
      };
    }),
  };
}

function watchStrikes(kind: 'skip' | 'stale' | 'double', timeline: readonly Moment[]): Strikes {
  const events = timeline.flatMap((moment, index) => (moment.type === 'delivered' ? [{ moment, index }] : []));
  const kept = events.filter(({ index }) => isFollowedByWrite(timeline, index));
  const words = {
    skip: 'is missed',
    double: 'comes twice',
    stale: 'is late: until the operator has acted it sees the cluster as it was before',
  }[kind];
  return {
    all: events.length,
    plans: kept.map(({ moment }) => ({
      plan: { kind, disturbance: { type: kind, event: moment.event } },
      step: moment.step,
      words: `the ${ordinal(moment.event)} watch event (${shownEvent(moment)}) ${words}`,
    })),
  };
}

/** Whether one of the next two runs of any hook, begun after the moment, changed something or called a program. */
function isFollowedByWrite(timeline: readonly Moment[], index: number): boolean {
  const begun = new Map<string, number>();
  const runs = new Set<string>();
  for (const moment of timeline.slice(index)) {
    if (moment.type === 'run-started') {
      const count = (begun.get(moment.hook) ?? 0) + 1;
      begun.set(moment.hook, count);
      if (count <= 2) runs.add(moment.run);
    } else if ((isOwnChange(moment) || moment.type === 'call') && runs.has(moment.run ?? '')) return true;
  }
  return false;
}

// A hook that does nothing in the present may do something in the past, so all that a run followed are played, once each.
function pasts(timeline: readonly Moment[]): Strikes {
  const events = timeline.filter((moment) => moment.type === 'delivered');
  const byRevision = new Map<string, Delivered & Moment>();
  for (const moment of events) {
    const revision = revisionBefore(timeline, moment.event);
    if (revision !== undefined && !byRevision.has(revision)) byRevision.set(revision, moment);
  }
  return {
    all: events.length,
    plans: [...byRevision.values()].map((moment) => ({
      plan: { kind: 'stale', disturbance: { type: 'past', event: moment.event } },
      // After all actions.
      step: Number.POSITIVE_INFINITY,
      words: `at the end the operator starts again, and first sees the cluster as before the ${ordinal(moment.event)} watch event (${shownEvent(moment)})`,
    })),
  };
}

function downs(timeline: readonly Moment[]): Strikes {
  const actions = timeline.flatMap((moment) => (moment.type === 'action' && moment.step > 0 ? [moment] : []));
  const kept = actions.filter(
    ({ step, needsOperator }) =>
      needsOperator !== true && timeline.some((one) => one.type === 'delivered' && one.step === step),
  );
  return {
    all: actions.length,
    plans: kept.map(({ step, text }) => ({
      plan: { kind: 'skip', disturbance: { type: 'down', action: step } },
      step,
      words: `the operator is down during the ${ordinal(step)} action (${text})`,
    })),
  };
}

function refusals(timeline: readonly Moment[]): Strikes {
  const requests = timeline.filter((moment) => moment.type === 'request');
  const own = requests.filter(({ path }) => !DISCOVERY.test(path));
  const kept = firstTwoAndLast(own, ({ by, method, path }) => `${by} ${method} ${path}`);
  return {
    all: requests.length * 4,
    plans: kept.flatMap((request) =>
      (isRead(request) ? READ_REFUSALS : WRITE_REFUSALS).map((how): Strike => ({
        plan: { kind: 'refuse', disturbance: { type: 'refuse', request: request.request, how } },
        step: request.step,
        words: `the ${ordinal(request.request)} request (${request.method} ${request.path}) is answered ${how === 'timeout' ? 'not at all' : `with ${how}`}`,
      })),
    ),
  };
}

const DISCOVERY = /^\/(?:api(?:\/v\d[^/?]*)?|apis(?:\/[^/?]+){0,2}|openapi\/.*|version)(?:\?|$)/;
const READ_REFUSALS = [500, 'timeout'] as const;
const WRITE_REFUSALS = [409, 429, 500, 'timeout'] as const;

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function answers(timeline: readonly Moment[]): Strikes {
  const calls = timeline.filter((moment) => moment.type === 'call');
  const found = calls.flatMap((moment) => (moment.call === undefined ? [] : [{ ...moment, call: moment.call }]));
  const kept = firstTwoAndLast(found, callShape);
  return {
    all: found.length * 2,
    plans: kept.flatMap((moment) =>
      (['fail', 'empty'] as const).map((how): Strike => ({
        plan: { kind: 'app', disturbance: { type: 'answer', call: moment.call, how } },
        step: moment.step,
        words: `the ${ordinal(moment.call)} call (${shownCall(moment)}) ${how === 'fail' ? 'fails' : 'answers nothing'}`,
      })),
    ),
  };
}

/** Of things with the same shape, the first two and the last. */
function firstTwoAndLast<T>(things: readonly T[], shapeOf: (thing: T) => string): T[] {
  const byShape = Map.groupBy(things, shapeOf);
  const kept = new Set([...byShape.values()].flatMap((group) => [...group.slice(0, 2), ...group.slice(-1)]));
  return things.filter((thing) => kept.has(thing));
}

function writeShape(write: Write): string {
  return [write.by, write.verb, write.subresource ?? '', shownName(write.object)].join(' ');
}

function callShape({ hook = '', program, args }: Call): string {
  return [hook, program, ...args].join(' ');
}

/** `ConfigMap default/copy created`. */
export function shownWrite({ object, verb, subresource = '', before }: Write): string {
  const done = { create: 'created', update: 'changed', patch: 'changed', apply: 'changed', delete: 'deleted' }[verb];
  const what = subresource === '' ? '' : ` (${subresource})`;
  return `${shownName(object)}${what} ${before === undefined && verb !== 'delete' ? 'created' : done}`;
}

function shownEvent({ object, change }: Delivered): string {
  return `${shownName(object)} ${change.toLowerCase()}`;
}

function shownCall({ program, args }: Call): string {
  const text = [program, ...args].join(' ');
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** `1st`, `2nd`, `3rd`, `4th`. */
export function ordinal(number: number): string {
  const ends = ['th', 'st', 'nd', 'rd'];
  const isTeen = number % 100 > 10 && number % 100 < 14;
  return `${number}${(isTeen ? undefined : ends[number % 10]) ?? 'th'}`;
}
