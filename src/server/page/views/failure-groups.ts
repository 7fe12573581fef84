import { createHash } from 'node:crypto';
import { UsageError } from '../../../errors.ts';
import type { DeadLetterStatus } from '../../../hook/dead-control.ts';
import type { RunRecord } from '../../../hook/run-record.ts';
import type { PageModel } from '../model.ts';
import { errorOf } from '../parts.ts';
import { fingerprint } from './fingerprint.ts';

/** Failed runs and dead letters that say the same, apart from numbers and names. */
export interface FailureGroup {
  /** A hash of what they say, for URLs. */
  readonly key: string;
  readonly line: string;
  /** The newest first. */
  readonly runs: RunRecord[];
  readonly letters: DeadLetterStatus[];
}

export interface FailureGroups {
  /** The largest first. */
  readonly groups: readonly FailureGroup[];
  /** How many failed runs were looked at, and whether there are more. */
  readonly runs: number;
  readonly more: boolean;
}

/** What groups are made of. `mayRead`: by what hooks printed too, which is for those who may read it. */
export interface GroupSource {
  readonly model: PageModel;
  readonly mayRead: boolean;
}

const LIMIT = 200;
const LAST_LINES = 20;

/** The groups of the last failed runs, and of the dead letters, whose runs may be earlier ones. */
export async function failureGroups(source: GroupSource, hook: string | undefined): Promise<FailureGroups> {
  const groups = new Map<string, FailureGroup>();
  const groupOf = ({ key, line }: Words): FailureGroup => {
    const group = groups.get(key) ?? { key, line, runs: [], letters: [] };
    groups.set(key, group);
    return group;
  };
  const { view, dead } = source.model;
  const { runs, more } = view.runs.list({ ...(hook !== undefined && { hook }), isFailed: true, limit: LIMIT });
  const known = new Map<string, Words>();
  for (const run of runs) {
    const words = await wordsOf(run, source);
    known.set(run.id, words);
    groupOf(words).runs.push(run);
  }
  for (const letter of await dead.list()) {
    if (hook !== undefined && letter.hook !== hook) continue;
    groupOf(known.get(letter.runId) ?? (await wordsOfLetter(letter, source))).letters.push(letter);
  }
  const sizeOf = (group: FailureGroup): number => group.runs.length + group.letters.length;
  return { groups: [...groups.values()].toSorted((a, b) => sizeOf(b) - sizeOf(a)), runs: runs.length, more };
}

/** The dead letters of one group. */
export async function lettersOfGroup(key: string, source: GroupSource): Promise<readonly DeadLetterStatus[]> {
  const letters: DeadLetterStatus[] = [];
  for (const letter of await source.model.dead.list()) {
    if ((await wordsOfLetter(letter, source)).key === key) letters.push(letter);
  }
  return letters;
}

interface Words {
  readonly key: string;
  readonly line: string;
}

/** Those of its run; where that is not remembered, what the letter says, in a group of its own. */
async function wordsOfLetter(letter: DeadLetterStatus, source: GroupSource): Promise<Words> {
  const run = remembered(letter.runId, source.model);
  if (run !== undefined) return wordsOf(run, source);
  const said = source.mayRead ? letter.message : (letter.reason ?? letter.why);
  return { key: keyOf('letter', said), line: `${said} (its run is not remembered)` };
}

function remembered(id: string, { view }: PageModel): RunRecord | undefined {
  try {
    const run = view.runs.find(id);
    return run.id === id ? run : undefined;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** The last line of standard error for those who may read it, else why the run failed. */
async function wordsOf(run: RunRecord, { model, mayRead }: GroupSource): Promise<Words> {
  const why = errorOf(run.hook, run.error ?? run.outcome);
  if (!mayRead || run.lines === 0 || run.failedBy !== 'hook') return { key: keyOf('run', why), line: why };
  const { lines } = await model.view.runs.logs(run.id, { after: Math.max(0, run.lines - LAST_LINES) });
  const last = lines.findLast(({ stream, line }) => stream !== 'stdout' && line.trim() !== '');
  const line = last?.line.trim() ?? why;
  return { key: keyOf('run', line), line };
}

function keyOf(of: 'run' | 'letter', line: string): string {
  return createHash('sha256')
    .update(`${of} ${fingerprint(line)}`)
    .digest('base64url')
    .slice(0, 22);
}
