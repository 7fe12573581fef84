import { availableParallelism } from 'node:os';
import { ScenarioError, UsageError } from '../../errors.ts';
import { shown } from '../../lib/shown.ts';
import { messageOf } from '../../lib/message-of.ts';
import { PERTURB_KINDS } from '../../scenario/file/story.ts';
import { parsePlan } from '../../scenario/perturb/plan.ts';
import type { PerturbKind, PerturbSettings, Scenario } from '../../scenario/scenario.ts';
import { oneOf } from '../options/output-format.ts';

/** The flags of `hooklet test`, as commander gives them. */
export interface TestFlags extends Readonly<Partial<Record<PerturbKind, boolean>>> {
  readonly filter?: string;
  readonly output?: string;
  readonly timeline?: boolean;
  readonly watch?: boolean;
  readonly update?: boolean;
  readonly bail?: boolean;
  readonly jobs?: string;
  readonly schema?: boolean;
  readonly all?: boolean;
  readonly perturb?: boolean;
  readonly plans?: string;
  readonly plan?: string;
  readonly seed?: string;
  readonly writeFindings?: boolean;
}

/** What the flags of `hooklet test` mean. */
export interface TestSettings {
  readonly format: 'text' | 'json' | 'junit';
  readonly filter: RegExp | undefined;
  readonly jobs: number;
  readonly hasTimeline: boolean;
  readonly isWatch: boolean;
  readonly isUpdate: boolean;
  readonly isBail: boolean;
  /** What is to be perturbed in a story; undefined: nothing. */
  readonly perturbationsOf: (scenario: Scenario) => PerturbSettings | undefined;
  readonly plan: string | undefined;
  /** What uids and generated names follow from; undefined: the default. */
  readonly seed: string | undefined;
  /** Whether findings are written as scenario files. */
  readonly isFindingsWritten: boolean;
}

const MAX_JOBS = 64;
const MAX_PLANS = 1_000_000;

/** Reads the flags; throws `UsageError` for what cannot be, and for flags that exclude each other. */
export function testSettings(flags: TestFlags): TestSettings {
  const { update = false, watch = false } = flags;
  const plan = planOf(flags.plan);
  const format = oneOf(['text', 'json', 'junit'], flags.output);
  const kinds = PERTURB_KINDS.filter((kind) => flags.all === true || flags[kind] === true);
  if (update && (kinds.length > 0 || plan !== undefined)) {
    throw new UsageError('--update writes expectations, which perturbations have none of: use one of them');
  }
  if (watch && format !== 'text') throw new UsageError(`--watch prints text, not ${format}`);
  return {
    format,
    filter: flags.filter === undefined ? undefined : regexOf(flags.filter),
    jobs: numberOf('--jobs', flags.jobs, MAX_JOBS) ?? availableParallelism(),
    hasTimeline: flags.timeline === true,
    isWatch: watch,
    isUpdate: update,
    isBail: flags.bail === true,
    plan,
    seed: seedOf(flags.seed),
    isFindingsWritten: flags.writeFindings === true,
    perturbationsOf: perturbations(flags, kinds),
  };
}

function planOf(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  try {
    parsePlan(given);
    return given;
  } catch (error) {
    throw error instanceof ScenarioError ? new UsageError(`--plan: ${error.message}`, { cause: error }) : error;
  }
}

function perturbations(flags: TestFlags, kinds: readonly PerturbKind[]): TestSettings['perturbationsOf'] {
  const { plan, perturb: isOn, update } = flags;
  const plans = numberOf('--plans', flags.plans, MAX_PLANS);
  return ({ perturb }) => {
    if (plan !== undefined) return { kinds: [], plan };
    const isOfFile = isOn !== false && update !== true;
    // A story of one disturbance is about that one.
    if (isOfFile && perturb.plan !== undefined) return { kinds: [], plan: perturb.plan };
    const ofFile = isOfFile ? perturb.kinds : [];
    const asked = kinds.length > 0 ? kinds : ofFile;
    const limit = plans ?? perturb.plans;
    return asked.length === 0 ? undefined : { kinds: asked, ...(limit !== undefined && { plans: limit }) };
  };
}

function numberOf(flag: string, given: string | undefined, max: number): number | undefined {
  if (given === undefined) return undefined;
  const value = Number(given);
  if (/^\d+$/.test(given) && value >= 1 && value <= max) return value;
  throw new UsageError(`${flag}: got ${shown(given)}, expected a whole number from 1 to ${max}`);
}

function seedOf(given: string | undefined): string | undefined {
  if (given === undefined || /^[\w.][\w.-]{0,63}$/.test(given)) return given;
  throw new UsageError(
    `--seed: got ${shown(given)}, expected at most 64 letters, digits, dots, dashes and underscores, no dash first`,
  );
}

function regexOf(given: string): RegExp {
  try {
    return new RegExp(given);
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(`--filter: got ${shown(given)}, which is no regular expression: ${reason}`);
  }
}
