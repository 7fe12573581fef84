import { writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { readRegular } from '../../lib/read-regular.ts';
import { shortHash } from '../../lib/short-hash.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { PerturbFinding } from '../../scenario/perturb/report.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { ToldStory } from '../../scenario/story/run-stories.ts';
import { regressionText } from '../../scenario/story/regression-text.ts';

/** What became of a finding: the file of its own, and whether that was there before. */
export interface WrittenFinding {
  readonly file: string;
  readonly isNew: boolean;
}

const MAX_NAME = 60;
const MAX_PLAN = 100;

/**
 * Writes each finding as a scenario file beside that of its story, so that relative paths in it stay as they are. A file
 * that is there already is left alone. Throws `UsageError` for a file that cannot be written.
 */
export function writeFindings(results: readonly (ToldStory | undefined)[]): readonly WrittenFinding[] {
  return results.flatMap((result) => {
    const { scenario, report } = result ?? {};
    if (scenario === undefined || report === undefined) return [];
    // The story of one disturbance is its own file.
    const found = report.findings.filter(({ plan }) => plan !== scenario.perturb.plan);
    return found.map((finding) => writeFinding(scenario, finding));
  });
}

function writeFinding(scenario: Scenario, finding: PerturbFinding): WrittenFinding {
  const file = join(dirname(scenario.file), fileName(scenario, finding));
  try {
    const text = regressionText(readRegular(resolve(scenario.file)), scenario, finding);
    writeFileSync(resolve(file), text, { flag: 'wx' });
    return { file, isNew: true };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return { file, isNew: false };
    throw new UsageError(`${file} cannot be written: ${messageOf(error)}`);
  }
}

/** `regress-copies-follow-their-secret-crash-2.yaml`, with the ending by which the file of the story is found. */
function fileName({ file, name }: Scenario, { plan }: PerturbFinding): string {
  const ending = basename(file, extname(file)).endsWith('.scenario') ? '.scenario.yaml' : '.yaml';
  return `regress-${slug(name, MAX_NAME)}-${slug(plan, MAX_PLAN)}${ending}`;
}

/** Texts that would have the same words otherwise are told apart by a hash. */
function slug(text: string, maxLength: number): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? ['story'];
  const joined = words.join('-');
  const isWhole = joined.length <= maxLength && joined === text.toLowerCase().replaceAll(/[ :]/g, '-');
  return isWhole ? joined : `${joined.slice(0, maxLength).replace(/-$/, '')}-${shortHash(text)}`;
}
