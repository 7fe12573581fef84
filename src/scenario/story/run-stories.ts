import type { OnPlan, Perturb, PerturbReport } from '../perturb/report.ts';
import type { PerturbSettings, Scenario } from '../scenario.ts';
import type { Worlds } from '../world.ts';
import { ScenarioError } from '../../errors.ts';
import { atOnce } from '../../lib/at-once.ts';
import { runStory, type StoryResult } from './run-story.ts';

export interface StoriesOptions {
  readonly worlds: Worlds;
  readonly signal: AbortSignal;
  /** How many stories run at the same time. */
  readonly jobs: number;
  /** Whether no further story begins after one that failed. */
  readonly isBail: boolean;
  /** Whether stories go on after a step that failed. */
  readonly isWhole: boolean;
  /** Real time, in milliseconds. */
  readonly nowMs: () => number;
  /** The perturbations of a story that has passed; undefined: none. */
  readonly perturbing: (scenario: Scenario) => Perturbing | undefined;
  /** Called after each perturbation of a story. */
  readonly onPlan?: (scenario: Scenario, ...progress: Parameters<OnPlan>) => void;
  /** Called with each result, in the order of the stories; undefined for one that was not run. */
  readonly onResult: (result: ToldStory | undefined, scenario: Scenario) => void;
}

/** What is to be perturbed, and by whom. */
export interface Perturbing {
  readonly perturb: Perturb;
  readonly settings: PerturbSettings;
}

/** The result of a story, with what its perturbations found. */
export interface ToldStory extends StoryResult {
  readonly report?: PerturbReport;
}

/** Whether a story has passed, undisturbed and disturbed. */
export function isPassed({ failures, report }: ToldStory): boolean {
  return failures.length === 0 && (report === undefined || report.findings.length === 0);
}

/** Runs all stories, several at a time. Rejects when the signal aborts, and for a bug of hooklet. */
export async function runStories(
  scenarios: readonly Scenario[],
  options: StoriesOptions,
): Promise<readonly (ToldStory | undefined)[]> {
  const results = new Results(scenarios, options.onResult);
  const tell = async (scenario: Scenario, index: number): Promise<void> => {
    try {
      const result = results.isOver ? undefined : await told(scenario, options);
      results.add(index, result);
      results.isOver ||= options.isBail && result !== undefined && !isPassed(result);
    } catch (error) {
      results.isOver = true;
      results.bugs.push(error);
    }
  };
  await atOnce([...scenarios.entries()], options.jobs, async ([index, scenario]) => tell(scenario, index));
  if (results.bugs.length > 0) throw results.bugs[0];
  return results.all;
}

/** Results as they come, told in the order of the stories. */
class Results {
  readonly all: (ToldStory | undefined)[] = [];
  readonly bugs: unknown[] = [];
  isOver = false;
  #told = 0;
  readonly #scenarios: readonly Scenario[];
  readonly #onResult: StoriesOptions['onResult'];

  constructor(scenarios: readonly Scenario[], onResult: StoriesOptions['onResult']) {
    this.#scenarios = scenarios;
    this.#onResult = onResult;
  }

  add(index: number, result: ToldStory | undefined): void {
    this.all[index] = result;
    for (; this.#told in this.all; this.#told += 1) {
      const scenario = this.#scenarios[this.#told];
      if (scenario !== undefined) this.#onResult(this.all[this.#told], scenario);
    }
  }
}

async function told(scenario: Scenario, options: StoriesOptions): Promise<ToldStory> {
  const { worlds, signal, isWhole, nowMs } = options;
  const result = await runStory(scenario, { worlds, signal, isWhole, nowMs });
  const perturbing = result.failures.length === 0 ? options.perturbing(scenario) : undefined;
  if (perturbing === undefined) return result;
  const startMs = nowMs();
  const found = await perturbed(scenario, perturbing, options);
  return { ...result, ...found, tookMs: result.tookMs + nowMs() - startMs };
}

/** What the perturbations found, or why they could not be made. */
async function perturbed(
  scenario: Scenario,
  { perturb, settings }: Perturbing,
  { worlds, signal, onPlan }: StoriesOptions,
): Promise<Pick<ToldStory, 'report'> | Pick<ToldStory, 'failures'>> {
  try {
    const told: OnPlan = (...progress) => onPlan?.(scenario, ...progress);
    return { report: await perturb(scenario, worlds, { ...settings, onPlan: told }, signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ScenarioError)) throw error;
    const { line } = scenario;
    return { failures: [{ line, where: 'perturbations', path: '', message: error.message, from: 0 }] };
  }
}
