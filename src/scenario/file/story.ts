/* The fields of one story; `read-scenario.ts` reads them, and `scenario-schema.ts` writes down what they take. */

import type { JsonObject } from '@hooklet/sandbox';
import { FilterError, ScenarioError } from '../../errors.ts';
import { compileProgram } from '../../filter/jq-filter.ts';
import { inside, present, type Place, report } from '../../hook/config-reader.ts';
import { nearest } from '../../hook/nearest.ts';
import { shown } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';
import type { Expectation } from '../expectation.ts';
import { parsePlan } from '../perturb/plan.ts';
import type { PerturbKind, PerturbSettings } from '../scenario.ts';
import type { Action, WorldLimits } from '../world.ts';
import { WORLD_LIMITS } from '../live/limits.ts';
import { actionFields } from './actions.ts';
import type { StoryContext } from './context.ts';
import { expectation } from './expectations.ts';
import {
  byName,
  derived,
  described,
  either,
  type Field,
  instant,
  list,
  mapping,
  oneOrMore,
  plainText,
  text,
  whole,
  word,
} from './field.ts';
import { objectFiles, objectList } from './objects.ts';

export const PERTURB_KINDS: readonly PerturbKind[] = [
  'twice',
  'crash',
  'skip',
  'stale',
  'double',
  'refuse',
  'misuse',
  'app',
];

const MAX_STEPS = 500;
const MAX_NAME = 200;

/** One story as it is written. */
export interface Story {
  readonly name?: string;
  readonly hooks?: string | readonly string[];
  readonly given?: StoryGiven;
  readonly steps?: readonly StoryStep[];
  readonly never?: readonly Invariant[];
  readonly perturb?: PerturbSettings;
}

export interface StoryGiven {
  readonly objects?: readonly JsonObject[];
  readonly files?: readonly JsonObject[];
  readonly crds?: readonly JsonObject[];
  readonly clock?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly volumes?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly programs?: string;
  readonly options?: Readonly<Record<string, string | boolean>>;
  readonly limits?: WorldLimits;
  readonly expect?: Expectation;
}

export interface StoryStep {
  /** Its place in `steps`. */
  readonly index: number;
  readonly name?: string;
  readonly actions: readonly Action[];
  readonly expect?: Expectation;
}

interface Invariant {
  readonly name: string;
  readonly program: string;
}

/** A story whose files are found by `context`. */
export function story(context: StoryContext): Field<Story> {
  const fields = {
    name: described(label, 'What the story tells; --filter searches it.'),
    hooks: described(
      either((value) => typeof value === 'string', text, list(text, { minLength: 1, maxLength: 100 })),
      'The folder of hooks, or files of hooks; default hooks beside the file.',
    ),
    given: described(given(context), 'What is there before the operator starts.'),
    steps: described(list(step(context), { maxLength: MAX_STEPS }), 'What happens, one after the other.'),
    never: described(never, 'jq programs over each write, none of which may ever say true.'),
    perturb: described(perturb, 'Disturbances that must make no difference; plan: exactly one of them.'),
  };
  return derived(mapping(fields), (values) => present({ ...values, steps: numbered(values.steps) }));
}

/** Places in `steps` are those of the file: this is reached only when every step was read. */
function numbered(steps: readonly Omit<StoryStep, 'index'>[] | undefined): readonly StoryStep[] | undefined {
  return steps?.map((one, index) => ({ ...one, index }));
}

const label: Field<string> = derived(text, (name, place) =>
  name.length <= MAX_NAME && !name.includes('\n')
    ? name
    : report(place, `got ${shown(name)}, expected one line of at most ${MAX_NAME} characters`),
);

function given(context: StoryContext): Field<StoryGiven> {
  const fields = {
    objects: described(objectList(context), 'Objects, applied in this order.'),
    files: described(objectFiles(context), 'Files with objects; * in a file name stands for any text.'),
    crds: described(objectFiles(context), 'Files with CustomResourceDefinitions, applied before all else.'),
    clock: described(instant, 'The virtual time at the start; default 2026-01-01T00:00:00Z.'),
    env: described(byName(plainText, /^[A-Za-z_]\w{0,200}$/, 'the name of a variable'), 'Environment of the hooks.'),
    volumes: described(volumes, 'Folders by their names, with the texts of their files: $(VOLUMES)/NAME in env.'),
    programs: described(text, 'Folder of stand-ins for the programs that hooks call.'),
    options: described(options(context), 'Options of hooklet start, by their long names.'),
    limits: described(
      derived(
        mapping({ runs: whole(1, WORLD_LIMITS.runs.max), writes: whole(1, WORLD_LIMITS.writes.max) }),
        (values): WorldLimits => present(values),
      ),
      `How many runs and writes there may be; default ${WORLD_LIMITS.runs.default} and ${WORLD_LIMITS.writes.default}.`,
    ),
    expect: described(expectation(context), 'What must hold when the Synchronizations are done.'),
  };
  return derived(mapping(fields), (values, place) => {
    for (const [name, value] of Object.entries(values.env ?? {})) {
      const problem = volumeProblem(value, values.volumes ?? {});
      if (problem !== undefined) report(inside(inside(place, 'env'), name), problem);
    }
    return present(values);
  });
}

const FILE_NAME = /^(?!\.{1,2}$)[\w.-]{1,200}$/;

const volumes = byName(
  byName(plainText, FILE_NAME, 'the name of a file, without a folder'),
  FILE_NAME,
  'the name of a folder of its own',
);

/** That a variable names a volume that the story does not have. */
function volumeProblem(value: string, known: NonNullable<StoryGiven['volumes']>): string | undefined {
  const names = Object.keys(known);
  for (const [whole, name = ''] of value.matchAll(/\$\(VOLUMES\)(?:\/([^/:,\s]*))?/g)) {
    if (names.includes(name)) continue;
    const meant = nearest(name, names);
    const all = names.length === 0 ? 'given.volumes has none' : `the volumes are ${names.join(', ')}`;
    return `got ${shown(whole)}, which is no volume of this story; ${meant === undefined ? all : `did you mean ${meant}?`}`;
  }
  return undefined;
}

function options({ optionNames }: StoryContext): Field<Readonly<Record<string, string | boolean>>> {
  const value = either((one) => typeof one === 'boolean', booleanField, plainText);
  return derived(byName(value, /^[a-z][a-z-]*$/, 'the name of an option, without --'), (values, place) => {
    for (const name of Object.keys(values)) if (!optionNames.includes(name)) unknownOption(name, optionNames, place);
    return values;
  });
}

const booleanField: Field<boolean> = { read: (value) => value === true, schema: { type: 'boolean' } };

function unknownOption(name: string, known: readonly string[], place: Place): void {
  const meant = nearest(name, known);
  const hint = meant === undefined ? 'see hooklet start --help' : `did you mean ${meant}?`;
  report(inside(place, name), `no option of hooklet start that a story can set; ${hint}`);
}

function step(context: StoryContext): Field<Omit<StoryStep, 'index'>> {
  const actions = actionFields(context);
  const whole = mapping({ ...actions, name: label, expect: expectation(context) });
  return {
    schema: { ...whole.schema, minProperties: 1 },
    read: (value, place) => {
      const values = whole.read(value, place);
      if (values === undefined || !isObject(value)) return undefined;
      const keys = Object.keys(value).filter((key) => Object.hasOwn(actions, key));
      if (keys.length === 0 && values.expect === undefined) {
        return report(place, `does nothing and expects nothing, expected one of ${Object.keys(actions).join(', ')}`);
      }
      // In the order in which they are written.
      const byKey: Readonly<Record<string, unknown>> = values;
      const made = keys.flatMap((key) => (byKey[key] ?? []) as readonly Action[]);
      if (values.expect?.answer !== undefined && !made.some(isAnswered)) {
        return report(inside(inside(place, 'expect'), 'answer'), `can never hold: nothing in this step is answered`);
      }
      return { actions: made, ...present({ name: values.name, expect: values.expect }) };
    },
  };
}

function isAnswered({ type }: Action): boolean {
  return ['apply', 'patch', 'delete', 'admit', 'convert', 'http'].includes(type);
}

const program: Field<string> = derived(text, (expression, place) => {
  try {
    compileProgram(expression);
    return expression;
  } catch (error) {
    if (error instanceof FilterError) return report(place, `no jq program: ${error.message.split('\n', 1)[0]}`);
    throw error;
  }
});

const never: Field<readonly Invariant[]> = either(
  isObject,
  derived(byName(program, /^.{1,200}$/, 'a name of at most 200 characters'), (programs) =>
    Object.entries(programs).map(([name, one]) => ({ name, program: one })),
  ),
  derived(oneOrMore(program, 100), (programs) => programs.map((one) => ({ name: one, program: one }))),
);

const kinds: Field<readonly PerturbKind[]> = either(
  (value) => value === 'all',
  derived(word(['all']), () => PERTURB_KINDS),
  oneOrMore(word(PERTURB_KINDS)),
);

const plan: Field<string> = derived(text, (one, place) => {
  try {
    parsePlan(one);
    return one;
  } catch (error) {
    if (error instanceof ScenarioError) return report(place, error.message);
    throw error;
  }
});

const onePlan: Field<PerturbSettings> = derived(
  mapping({ plan }, { plan: 'a plan such as crash:2' }),
  ({ plan: one }): PerturbSettings => ({ kinds: [], ...present({ plan: one }) }),
);

const severalPlans: Field<PerturbSettings> = either(
  isObject,
  derived(
    mapping({ kinds, plans: whole(1, 1_000_000) }, { kinds: `all, or some of ${PERTURB_KINDS.join(', ')}` }),
    ({ kinds: some = [], plans }) => ({ kinds: some, ...present({ plans }) }),
  ),
  derived(kinds, (some): PerturbSettings => ({ kinds: some })),
);

const perturb: Field<PerturbSettings> = either(
  (value) => isObject(value) && Object.hasOwn(value, 'plan'),
  onePlan,
  severalPlans,
);
