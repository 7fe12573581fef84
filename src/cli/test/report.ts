import { shellWord } from '../../lib/shell-word.ts';
import type { FileProblem } from '../../scenario/file/read-scenario.ts';
import type { PerturbFinding } from '../../scenario/perturb/report.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { isPassed, type ToldStory } from '../../scenario/story/run-stories.ts';

/** What `hooklet test` found. */
export interface TestReport {
  /** The stories in their order; the result is absent for one that was not run. */
  readonly stories: readonly { readonly scenario: Scenario; readonly result: ToldStory | undefined }[];
  /** Problems of files; then no story was run. */
  readonly problems: readonly FileProblem[];
  readonly tookMs: number;
}

export type Verdict = 'passed' | 'failed' | 'not run';

/** What became of a story, in one word. */
export function verdictOf(result: ToldStory | undefined): Verdict {
  if (result === undefined) return 'not run';
  return isPassed(result) ? 'passed' : 'failed';
}

/** How many stories passed, failed and were not run. */
export function countsOf({ stories }: TestReport): Readonly<Record<Verdict, number>> {
  const counts = { passed: 0, failed: 0, 'not run': 0 };
  for (const { result } of stories) counts[verdictOf(result)] += 1;
  return counts;
}

/** The command that runs exactly this story, and of its perturbations only the one that found something. */
export function commandOf({ file, name, given }: Scenario, finding?: PerturbFinding): string {
  const words = ['hooklet', 'test', shellWord(file), '--filter', shellWord(`^${escaped(name)}$`)];
  const seed = given.seed === undefined ? [] : ['--seed', shellWord(given.seed)];
  return [...words, ...seed, ...(finding === undefined ? [] : ['--plan', shellWord(finding.plan)])].join(' ');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** `scenarios/copies.yaml:31: steps[0].expect: …`. */
export function problemText({ file, line, path, message }: FileProblem): string {
  return `${file}:${line}: ${path === '' ? '' : `${path}: `}${message}`;
}
