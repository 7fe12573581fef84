import { randomUUID } from 'node:crypto';
import { UsageError } from '../../errors.ts';
import { printable } from '../../lib/printable.ts';
import { shown } from '../../lib/shown.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { unmarked, type AnsweredContext } from './answered.ts';
import { childrenDiff } from './children-diff.ts';
import { objectsJson, objectsYaml } from './children-text.ts';
import { openLocalHook } from './local-hook.ts';
import { findHook } from './local-runner.ts';
import { parseObjects } from './object-input.ts';
import { oneOf } from '../options/output-format.ts';
import { readInput } from './run.ts';
import { makeContexts } from './event.ts';
import { givenObjects, type GivenObject } from './object.ts';

export interface RenderFlags {
  readonly object?: string;
  readonly owned?: string;
  /** `NAME=FILE` each. */
  readonly watched?: readonly string[];
  readonly binding?: string;
  readonly finalizing?: boolean;
  readonly output?: string;
}

export const RENDER_FORMATS = ['yaml', 'json', 'diff'] as const;

/**
 * `hooklet render`: runs a reconcile hook once on files and prints the children that it would make; everything else
 * that it says goes to standard error. Resolves to the exit code.
 */
export async function renderCommand(path: string, flags: RenderFlags): Promise<number> {
  const { output = flags.owned === undefined ? 'yaml' : 'diff', binding, finalizing: isFinalizing = false } = flags;
  const format = oneOf(RENDER_FORMATS, output);
  if (flags.object === undefined) throw new UsageError('render: give it the object with --object FILE');
  checkStandardInput(flags);
  const file = findHook(path);
  const objects = await readObjects('--object', flags.object);
  const owned = flags.owned === undefined ? [] : await readObjects('--owned', flags.owned);
  const around = { owned, watched: await readWatched(flags.watched ?? []), isFinalizing };
  const report = (text: string): void => void process.stderr.write(printable(text));
  await using ends = new AsyncDisposableStack();
  const { hook, run } = await openLocalHook(file, ends, report);
  const runId = randomUUID();
  const request = { event: 'Reconcile', objects, runId, around, ...(binding !== undefined && { binding }) };
  const { context, warnings, children = [] } = makeContexts(hook, request, Date.now());
  for (const warning of warnings) report(`warning: ${warning}\n`);
  const [answer] = await run({ context, runId, write: report });
  process.stdout.write(printable(rendered(format, answer, children)));
  return 0;
}

function rendered(
  format: (typeof RENDER_FORMATS)[number],
  answer: AnsweredContext | undefined,
  owned: readonly GivenObject[],
): string {
  if (answer === undefined) return format === 'json' ? 'null\n' : '# the children are left as they are\n';
  const wanted = answer.wanted.map(({ object }) => unmarked(object));
  switch (format) {
    case 'yaml':
      return wanted.length === 0 ? '# no children\n' : objectsYaml(wanted);
    case 'json':
      return objectsJson(wanted);
    case 'diff':
      return childrenDiff(answer, owned);
    default:
      return unreachable(format);
  }
}

function checkStandardInput({ object, owned, watched = [] }: RenderFlags): void {
  const files = [object, owned, ...watched.map((one) => one.slice(one.indexOf('=') + 1))];
  if (files.filter((file) => file === '-').length > 1) throw new UsageError('render: standard input is given twice');
}

async function readWatched(flags: readonly string[]): Promise<ReadonlyMap<string, readonly GivenObject[]>> {
  const watched = new Map<string, readonly GivenObject[]>();
  for (const flag of flags) {
    const [, name, file] = /^([^=]+)=(.+)$/.exec(flag) ?? [];
    if (name === undefined || file === undefined) {
      throw new UsageError(`--watched: got ${shown(flag)}, expected NAME=FILE, with a name in watches of the binding`);
    }
    watched.set(name, [...(watched.get(name) ?? []), ...(await readObjects('--watched', file))]);
  }
  return watched;
}

async function readObjects(flag: '--object' | '--owned' | '--watched', file: string): Promise<readonly GivenObject[]> {
  return givenObjects(parseObjects(await readInput(flag, file, process.stdin), `${flag} ${file}`), flag);
}
