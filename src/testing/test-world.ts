import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { ScenarioError } from '../errors.ts';
import { isSubset } from '../scenario/expect/subset.ts';
import type { Scenario, Step } from '../scenario/scenario.ts';
import type { Acted, Action, World } from '../scenario/world.ts';
import { shown } from '../lib/shown.ts';
import type { Done, Manifest, TestWorld } from './public.ts';
import { readOwnStory } from './read-story.ts';
import { doneOf, happened, momentsOf, type Scene, setScene } from './scene.ts';
import { durationText, instantText } from './times.ts';

/** What is known of a world to read what its test says. */
export interface WorldBase {
  /** A story with its hooks, stand-ins and definitions. */
  readonly base: { readonly given: object };
  readonly folder: string;
  readonly close: () => Promise<void>;
}

type Make = (who: string, step: object) => Promise<Done>;

/** The world as a test has it. */
export function testWorld(world: World, base: WorldBase): TestWorld {
  const sceneOf = (part: Pick<Scene, 'moments' | 'answer'>): Scene => ({
    ...part,
    timeline: [...world.timeline],
    objects: async () => world.objects(),
    metrics: async () => world.metrics(),
    expectation: async (value) =>
      (await readStep(base, world, { who: 'expected', step: { expect: value } })).expect ?? {},
  });
  const whole = (): Scene => sceneOf({ moments: [...world.timeline] });
  let last: Promise<unknown> = Promise.resolve();
  const make: Make = async (who, step) => {
    const turn = last.then(async () => {
      const { actions } = await readStep(base, world, { who, step });
      const from = world.timeline.length;
      const answer = await actAll(world, actions);
      return doneOf(sceneOf({ moments: world.timeline.slice(from), ...(answer && { answer }) }));
    });
    last = turn.catch(() => {});
    return turn;
  };
  const own: TestWorld = {
    get timeline() {
      return momentsOf(world.timeline);
    },
    get nowMs() {
      return world.nowMs;
    },
    ...happened(whole),
    ...actionsOf(make),
    ...readersOf(world),
    [Symbol.asyncDispose]: base.close,
  };
  setScene(own, whole);
  return own;
}

type Readers = 'get' | 'list' | 'metrics';
type Others = 'timeline' | 'nowMs' | 'runs' | 'writes' | 'calls' | 'text' | typeof Symbol.asyncDispose;

function actionsOf(make: Make): Omit<TestWorld, Readers | Others> {
  return {
    apply: async (...objects) => make('apply', { apply: objects }),
    patch: async (object, subresource) => make('patch', { patch: { ...object, subresource } }),
    delete: async (...objects) => make('delete', { delete: objects.map(nameOnly) }),
    tick: async (duration) => make('tick', { tick: durationText(duration) }),
    until: async (time) => make('until', { until: instantText(time) }),
    trigger: async (what) =>
      make('trigger', {
        trigger: typeof what === 'string' ? what : { ...what, object: what.object && nameOnly(what.object) },
      }),
    admit: async (request) => make('admit', { admit: request }),
    convert: async (request) => make('convert', { convert: request }),
    http: async (request) => make('http', { http: request }),
    fault: async (fault) => make('fault', { fault }),
    kill: async (what = 'operator') => make('kill', { kill: what }),
    restart: async (downFor) => make('restart', { restart: downFor === undefined ? true : durationText(downFor) }),
    again: async () => make('again', { again: true }),
    relist: async () => make('relist', { relist: true }),
  };
}

function readersOf(world: World): Pick<TestWorld, Readers> {
  return {
    get: async (object) => {
      const wanted = identity(object);
      return (await world.objects()).find((one) => isSubset(wanted, identity(one)));
    },
    list: async (fields = {}) => {
      const wanted = JSON.parse(JSON.stringify(fields)) as JsonObject;
      return (await world.objects()).filter((one) => isSubset(wanted, one));
    },
    metrics: async () => world.metrics(),
  };
}

interface ReadingStep {
  readonly who: string;
  readonly step: object;
}

const NOTHING: Step = { line: 1, actions: [] };

async function readStep({ base, folder }: WorldBase, world: World, { who, step }: ReadingStep): Promise<Step> {
  const clock = new Date(world.nowMs).toISOString();
  const story = { ...base, given: { ...base.given, clock }, steps: [withAnswer(step)] };
  const prefix = `steps[0].${who === 'expected' ? 'expect' : who}`;
  const read: Scenario = await readOwnStory(story, { who, folder, prefix });
  return read.steps[0] ?? NOTHING;
}

/** An answer is expected in a step that asks; which action was made is known only here. */
function withAnswer(step: object): object {
  return 'expect' in step ? { http: { path: '/' }, ...step } : step;
}

/** Makes the actions of a step, and resolves to the last answer. */
async function actAll(world: World, actions: readonly Action[]): Promise<Acted['answer']> {
  let last: Acted['answer'];
  for (const action of actions) {
    const { answer } = await world.act(action);
    if (answer !== undefined) checkWritten(action, answer);
    last = answer ?? last;
  }
  return last;
}

function checkWritten({ type }: Action, { code, body }: NonNullable<Acted['answer']>): void {
  if (code < 400 || !['apply', 'patch', 'delete'].includes(type)) return;
  const message = isJsonObject(body) ? body['message'] : body;
  throw new ScenarioError(`${type}: refused with ${code}: ${shown(message)}; where that is expected, use admit`);
}

/** What names the object, so that an object that was read can be given as it is. */
function nameOnly(object: Manifest): Manifest {
  const { apiVersion, kind, metadata } = object as Readonly<Record<string, unknown>>;
  const { name, namespace } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return { apiVersion, kind, metadata: { name, namespace } };
}

function identity(object: Manifest): JsonObject {
  const { apiVersion, kind, metadata } = object as JsonObject;
  const { name = null, namespace = null } = isJsonObject(metadata) ? metadata : {};
  const place = namespace === 'default' ? null : namespace;
  return { apiVersion: apiVersion ?? null, kind: kind ?? null, name, namespace: place };
}
