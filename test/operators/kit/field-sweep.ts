import type { JsonObject, JsonValue } from '@hooklet/sandbox';
import { ScenarioError } from '../../../src/errors.ts';
import { openWorld } from '../../../src/testing/index.ts';
import type { TestWorld, WorldOptions } from '../../../src/testing/public.ts';
import { readManifests } from '../../support/example-rig.ts';
import { evidenceOf } from './evidence.ts';
import { withField } from './field-at.ts';
import { playControllers } from './play-controllers.ts';
import { leavesOf, type Leaf } from './schema-leaves.ts';

/** What a sweep is played with. */
export interface Sweep {
  /** The hooks and what they need beside the definition, such as `programs`. */
  readonly world: WorldOptions;
  /** The file with the CustomResourceDefinition. */
  readonly definition: string;
  /** An object that converges, with as few fields as it can have. */
  readonly base: JsonObject;
  /** Other objects to begin with, for the fields whose paths begin so, such as those that exclude fields of `base`. */
  readonly bases?: Readonly<Record<string, JsonObject>>;
  /** Two values, for fields whose schema does not say what a value is, or where the two that it says do not serve. */
  readonly values?: Readonly<Record<string, readonly [JsonValue, JsonValue]>>;
  /** The fields that are swept, where others are in another sweep; their values may be given here too. */
  readonly only?: (path: string) => boolean;
  /** Brings a world to rest after a change; by default the controllers play, and a minute passes. */
  readonly settle?: (world: TestWorld) => Promise<void>;
}

/** What came of a change of a field: something else, a refusal with its message, or nothing at all. */
export interface Swept {
  readonly path: string;
  readonly change: 'set' | 'changed' | 'removed';
  readonly outcome: 'effect' | 'refused' | 'nothing';
  readonly message: string;
}

/**
 * Sets, changes and removes each field of `spec`, and looks whether objects, the status or the calls of stand-ins are
 * others then, or who refused it. Rejects with all fields for which it has no two values.
 */
export async function fieldSweep(sweep: Sweep): Promise<readonly Swept[]> {
  const { world: options, definition, values = {}, only = () => true } = sweep;
  const [described = {}] = readManifests(definition).filter(({ kind }) => kind === 'CustomResourceDefinition');
  const leaves = leavesOf(described).map((leaf): Leaf => ({ ...leaf, values: values[leaf.path] ?? leaf.values }));
  checkValues(leaves, Object.keys(values));
  const limits = { runs: 10_000, writes: 50_000 };
  await using world = await openWorld({ limits, limitMs: 120_000, ...options, crds: definition });
  const swept: Swept[] = [];
  for (const leaf of leaves.filter(({ path }) => only(path))) swept.push(...(await sweepOne(world, leaf, sweep)));
  return swept;
}

/** The lines of those that came to nothing. */
export function withoutEffect(swept: readonly Swept[]): readonly string[] {
  return swept.filter(({ outcome }) => outcome === 'nothing').map(({ path, change }) => `${path}: ${change}`);
}

function checkValues(leaves: readonly Leaf[], given: readonly string[]): void {
  const paths = leaves.map(({ path }) => path);
  const problems = [
    ...leaves.filter(({ values }) => values.length === 0).map(({ path }) => `${path}: give two values that differ`),
    ...given.filter((path) => !paths.includes(path)).map((path) => `${path}: the schema has no such field`),
  ];
  if (problems.length > 0) throw new Error(`fieldSweep: values\n${problems.join('\n')}`);
}

async function sweepOne(world: TestWorld, { path, values }: Leaf, sweep: Sweep): Promise<readonly Swept[]> {
  const { base, bases = {}, settle = rested } = sweep;
  const prefix = Object.keys(bases)
    .filter((start) => path.startsWith(start))
    .toSorted((a, b) => b.length - a.length)[0];
  const whole = (prefix === undefined ? undefined : bases[prefix]) ?? base;
  const without = withField(whole, path, undefined);
  const [first = null, second] = values;
  const stage = new Stage(world, settle, whole);
  await stage.begin(without);
  const set = await stage.apply(withField(whole, path, first));
  const changed = second === undefined ? undefined : await stage.apply(withField(whole, path, second));
  // The second value may be the default, so the first one is removed.
  if (second !== undefined) await stage.apply(withField(whole, path, first));
  const removed = await stage.apply(without);
  await stage.end();
  return [
    { path, change: 'set', ...set },
    ...(changed === undefined ? [] : [{ path, change: 'changed' as const, ...changed }]),
    { path, change: 'removed', ...removed },
  ];
}

type Outcome = Pick<Swept, 'outcome' | 'message'>;

/** One object of a world, and what it brought about so far. */
class Stage {
  readonly #world: TestWorld;
  readonly #settle: (world: TestWorld) => Promise<void>;
  readonly #parent: JsonObject;
  #evidence = '';

  constructor(world: TestWorld, settle: (world: TestWorld) => Promise<void>, parent: JsonObject) {
    this.#world = world;
    this.#settle = settle;
    this.#parent = parent;
  }

  /** The object may be refused: then the field is one that has to be there. */
  async begin(object: JsonObject): Promise<void> {
    await this.apply(object);
  }

  async apply(object: JsonObject): Promise<Outcome> {
    try {
      await this.#world.apply(object);
    } catch (error) {
      if (!(error instanceof ScenarioError) || !error.message.includes('refused with')) throw error;
      return { outcome: 'refused', message: error.message };
    }
    await this.#settle(this.#world);
    const before = this.#evidence;
    this.#evidence = await this.#look();
    return { outcome: before === this.#evidence ? 'nothing' : 'effect', message: '' };
  }

  async end(): Promise<void> {
    await this.#world.delete(this.#parent);
    await this.#settle(this.#world);
  }

  /** The objects, and what is called for them when everything is looked at once more. */
  async #look(): Promise<string> {
    const objects = await evidenceOf(this.#world, this.#parent);
    const calls = (await this.#world.again()).calls().map(({ program, args, stdin }) => [program, args, stdin]);
    const texts = calls.map((call) => JSON.stringify(call).replaceAll(TEMPORARY, '/tmp/'));
    return [...objects, ...new Set(texts)].join('\n');
  }
}

/** Names that are made anew for each run. */
const TEMPORARY = /\/[\w./-]*\/(?:hooklet-|tmp\.)[\w./-]*/g;

async function rested(world: TestWorld): Promise<void> {
  await playControllers(world);
  await world.tick('1m');
  await playControllers(world);
}
