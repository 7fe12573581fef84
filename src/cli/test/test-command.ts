/*
 * `hooklet test`: reads scenario files, runs their stories in worlds of their own, and reports. What must hold: no story
 * is run while a file has a problem; a first Ctrl-C ends everything at once and leaves nothing behind.
 */

import { dirname, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { abortable } from '../../lib/abortable.ts';
import { printable } from '../../lib/printable.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { openWorlds } from '../../scenario/open-worlds.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { type Perturbing, runStories, type ToldStory } from '../../scenario/story/run-stories.ts';
import type { Worlds } from '../../scenario/world.ts';
import { schemaText } from '../author/schema.ts';
import { shutdownSignal } from '../shutdown.ts';
import { Progress } from './progress.ts';
import { type ReadStories, readStories } from './read-stories.ts';
import { reportJson } from './report-json.ts';
import { reportJunit } from './report-junit.ts';
import { problemsText, storyText, summaryText } from './report-text.ts';
import { countsOf, type TestReport } from './report.ts';
import { type TestFlags, testSettings, type TestSettings } from './test-flags.ts';
import { updateFiles } from './update-files.ts';
import { openChanges } from './watch.ts';
import { writeFindings } from './write-findings.ts';

export type { TestFlags } from './test-flags.ts';

const EXIT_INTERRUPTED = 130;

/** Runs the command; resolves to the exit code. */
export async function testCommand(paths: readonly string[], flags: TestFlags): Promise<number> {
  if (flags.schema === true) {
    write(schemaText('scenario'));
    return 0;
  }
  const settings = testSettings(flags);
  const signal = shutdownSignal(() => {}, ['SIGINT', 'SIGTERM', 'SIGHUP']);
  await using worlds = openWorlds({ processes: settings.jobs });
  const perturbing = await openPerturbing(settings);
  const parts: RunParts = { settings, worlds, signal, perturbing };
  try {
    // What is under way is given up: the worlds are closed with what runs in them.
    return await abortable(settings.isWatch ? watch(paths, parts) : runOnce(paths, parts), signal);
  } catch (error) {
    if (signal.aborted) return EXIT_INTERRUPTED;
    throw error;
  }
}

/** Runs again whenever something changes, until the signal aborts. */
async function watch(given: readonly string[], parts: RunParts): Promise<number> {
  for (;;) {
    using changes = openChanges(pathsOf(await readStories(given)), parts.signal);
    await runOnce(given, parts);
    write('# waiting for changes, Ctrl-C ends\n');
    await changes.first();
    write('\n');
  }
}

/** The files and folders on which the result depends. */
function pathsOf({ files, scenarios }: ReadStories): readonly string[] {
  return [...files.map((file) => dirname(resolve(file))), ...scenarios.flatMap(({ paths }) => paths ?? [])];
}

interface RunParts {
  readonly settings: TestSettings;
  readonly worlds: Worlds;
  readonly signal: AbortSignal;
  readonly perturbing: (scenario: Scenario) => Perturbing | undefined;
}

async function runOnce(given: readonly string[], parts: RunParts): Promise<number> {
  const { settings } = parts;
  const startMs = performance.now();
  const { scenarios, problems } = await readStories(given);
  if (problems.length > 0) {
    const report = { stories: [], problems, tookMs: performance.now() - startMs };
    write(settings.format === 'text' ? problemsText(problems) : wholeText(report, settings));
    return 2;
  }
  const chosen = chosenOf(scenarios, settings);
  const results = await tell(chosen, parts);
  const stories = chosen.map((scenario, index) => ({ scenario, result: results[index] }));
  const report = { stories, problems, tookMs: performance.now() - startMs };
  write(settings.format === 'text' ? summaryText(report) : wholeText(report, settings));
  if (settings.isUpdate) return update(results);
  if (settings.isFindingsWritten) tellFindings(results, settings);
  return countsOf(report).failed > 0 ? 1 : 0;
}

function chosenOf(scenarios: readonly Scenario[], { filter, plan, seed }: TestSettings): readonly Scenario[] {
  const chosen = filter === undefined ? scenarios : scenarios.filter(({ name }) => filter.test(name));
  if (chosen.length === 0) {
    throw new UsageError(`--filter: no name of the ${scenarios.length} stories matches ${String(filter)}`);
  }
  if (plan !== undefined && chosen.length > 1) {
    throw new UsageError(`--plan repeats a plan of one story, got ${chosen.length}: choose one with --filter`);
  }
  return seed === undefined ? chosen : chosen.map((one) => ({ ...one, given: { ...one.given, seed } }));
}

async function tell(
  chosen: readonly Scenario[],
  { settings, worlds, signal, perturbing }: RunParts,
): Promise<readonly (ToldStory | undefined)[]> {
  let number = 0;
  const progress = new Progress({ terminal: process.stderr, nowMs: () => performance.now() });
  if (settings.format === 'text') write('TAP version 14\n');
  return runStories(chosen, {
    worlds,
    signal,
    perturbing,
    jobs: settings.jobs,
    isBail: settings.isBail,
    isWhole: settings.isUpdate,
    nowMs: () => performance.now(),
    onPlan: (...plan) => progress.plan(...plan),
    onResult: (result, scenario) => {
      progress.clear();
      number += 1;
      if (settings.format !== 'text') return;
      write(storyText(scenario, result, { number, hasTimeline: settings.hasTimeline }));
    },
  });
}

async function openPerturbing(settings: TestSettings): Promise<RunParts['perturbing']> {
  const { perturb } = await import('../../scenario/perturb/perturb.ts');
  return (scenario) => {
    const asked = settings.perturbationsOf(scenario);
    return asked === undefined ? undefined : { perturb, settings: asked };
  };
}

/** Writes what was found into the files, and says so; resolves to the exit code. */
function update(results: readonly (ToldStory | undefined)[]): number {
  const { files, left } = updateFiles(results.filter((result) => result !== undefined));
  for (const { file, values } of files) write(`# ${file}: ${values} value(s) updated\n`);
  if (left > 0) write(`# ${left} difference(s) have no value in the file that could be updated\n`);
  return left > 0 ? 1 : 0;
}

/** Writes findings as scenario files, and says where; beside a report that a program reads, on stderr. */
function tellFindings(results: readonly (ToldStory | undefined)[], { format }: TestSettings): void {
  for (const { file, isNew } of writeFindings(results)) {
    const line = `# ${file}: ${isNew ? 'written' : 'is there already'}\n`;
    if (format === 'text') write(line);
    else process.stderr.write(printable(line));
  }
}

function wholeText(report: TestReport, { format }: TestSettings): string {
  switch (format) {
    case 'json':
      return reportJson(report);
    case 'junit':
      return reportJunit(report);
    case 'text':
      return summaryText(report);
    default:
      return unreachable(format);
  }
}

function write(text: string): void {
  process.stdout.write(printable(text));
}
