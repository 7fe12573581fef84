import { resolve } from 'node:path';
import { type FileProblem, readScenarioFile } from '../../scenario/file/read-scenario.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { startOptions } from '../options/options.ts';
import { resolveOptions } from '../options/resolve.ts';
import { findScenarioFiles } from './find-files.ts';

/** Scenario files, their stories, and all that is wrong with them. */
export interface ReadStories {
  readonly files: readonly string[];
  readonly scenarios: readonly Scenario[];
  readonly problems: readonly FileProblem[];
}

/** Reads the scenario files at these paths; throws `UsageError` for a path without any. */
export async function readStories(paths: readonly string[]): Promise<ReadStories> {
  const files = await findScenarioFiles(paths, process.cwd());
  const { hooksDir } = resolveOptions({ hooksDir: startOptions.hooksDir }, {}, process.env);
  const optionNames = Object.values(startOptions).map(({ flag }) => flag.replace(/^--/, '').replace(/ .*/, ''));
  const scenarios: Scenario[] = [];
  const problems: FileProblem[] = [];
  for (const file of files) {
    const read = await readScenarioFile(file, { optionNames, hooksDir: resolve(hooksDir) });
    scenarios.push(...read.scenarios);
    problems.push(...read.problems);
  }
  return { files, scenarios, problems };
}
