import { UsageError } from '../../errors.ts';
import type { DeadFilter, DeadLetterStatus } from '../../hook/dead-control.ts';
import { objectText } from '../../hook/run-record.ts';
import { shortHash } from '../../lib/short-hash.ts';
import type { ActionSource, Doing, Given } from './actions.ts';
import { pathTo } from './html.ts';
import { filterOf, selectLetters, type LetterFilter } from './views/select-letters.ts';

/** How many letters of a group are retried or dropped at once, those first that were given up first. */
const MAX_AT_ONCE = 500;
const MAX_TOUCHED = 20;

/** Retries or drops dead letters: one, all that match, or those of a group of failures. */
export async function ofLetters(action: 'retry' | 'drop', given: Given, source: ActionSource): Promise<Doing> {
  const filter = filterOf(given);
  const all = await selectLetters(filter, source);
  if (all.length === 0) throw new UsageError('no dead letter matches: it may be retried or dropped already');
  const letters = filter.group === undefined ? all : all.slice(-MAX_AT_ONCE);
  const { id: _id, ...query } = filter;
  return {
    words: `${action === 'retry' ? 'Retry' : 'Drop'} ${countText(letters.length, all.length)}${filterText(filter)}`,
    expected: shortHash(...letters.map(({ id, runId }) => `${id} ${runId}`)),
    ...(source.mayList && { touched: touchedTexts(letters) }),
    back: filter.group === undefined ? pathTo('/dead', query) : '/failures',
    carryOut: async () => carriedOut(action, narrowed(filter, letters), source),
  };
}

/** What the operator is asked: it knows no groups. */
function narrowed({ group, ...filter }: LetterFilter, letters: readonly DeadLetterStatus[]): DeadFilter {
  return group === undefined ? filter : { ...filter, ids: letters.map(({ id }) => id) };
}

async function carriedOut(action: 'retry' | 'drop', filter: DeadFilter, { model }: ActionSource): Promise<string> {
  if (action === 'drop') return `Dropped ${await model.dead.drop(filter)}.`;
  const { retried, hookGone, objectGone } = await model.dead.retry(filter);
  const rest = [
    hookGone > 0 && `${hookGone} kept, whose hook is gone`,
    objectGone > 0 && `${objectGone} dropped, whose object is gone`,
  ];
  return [`Retried ${retried}`, ...rest.filter((one) => one !== false)].join(', ').concat('.');
}

function countText(count: number, of: number): string {
  const number = count === of ? String(count) : `the first ${count} of ${of}`;
  return `${number} dead letter${of === 1 ? '' : 's'}`;
}

function filterText({ group, ...filter }: LetterFilter): string {
  const of = Object.entries(filter).map(([name, value]) => `${name} ${String(value)}`);
  return `${group === undefined ? '' : ' of a group of failures'}${of.length === 0 ? '' : ` with ${of.join(', ')}`}`;
}

/** The letters in the order in which they are retried. */
function touchedTexts(letters: readonly DeadLetterStatus[]): readonly string[] {
  const texts = letters.toReversed().slice(0, MAX_TOUCHED).map(touchedText);
  const more = letters.length - texts.length;
  return more > 0 ? [...texts, `and ${more} more`] : texts;
}

function touchedText({ id, hook, binding, trigger, attempts, hookIs }: DeadLetterStatus): string {
  const about = 'name' in trigger ? `${trigger.kind} ${objectText(trigger)}` : trigger.type;
  const changed = hookIs === 'changed' || hookIs === 'gone' ? `, the hook is ${hookIs}` : '';
  const tries = `${attempts} attempt${attempts === 1 ? '' : 's'}`;
  return `${id}: ${hook}${binding === '' ? '' : ` ${binding}`}, ${about}, ${tries}${changed}`;
}
