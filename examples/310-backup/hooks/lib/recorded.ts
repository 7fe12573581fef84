import type { Attempt } from './attempt.ts';
import { asFields } from './report.ts';

/** Reads an attempt as the status has it; what has another shape counts as none. */
export function readAttempt(value: unknown): Attempt | undefined {
  const fields = asFields(value);
  const { job, startedAt } = fields;
  const outcome = OUTCOMES.find((one) => one === fields['outcome']);
  if (typeof job !== 'string' || typeof startedAt !== 'string' || outcome === undefined) return undefined;
  const known = { job, task: '', outcome, startedAt, ...texts(fields, ['reason', 'message', 'endedAt']) };
  if (typeof fields['backup'] !== 'string') return known;
  const said = texts(fields, ['backup', 'answer']);
  return { ...known, done: { ...NONE, ...said, seconds: count(fields['seconds']) } };
}

/** Reads the last success as the status has it. */
export function readSuccess(value: unknown): Attempt | undefined {
  const fields = asFields(value);
  const { job, startedAt } = fields;
  if (typeof job !== 'string' || typeof startedAt !== 'string') return undefined;
  const numbers = { bytes: count(fields['bytes']), kept: count(fields['kept']) };
  const done = { ...NONE, ...texts(fields, ['backup', 'takenAt', 'verified']), ...numbers };
  const known = { job, task: 'backup', outcome: 'Succeeded', reason: '', message: '' } as const;
  return { ...known, startedAt, ...texts(fields, ['endedAt']), done };
}

const OUTCOMES = ['Waiting', 'Running', 'Succeeded', 'Failed'] as const;
const NONE = { backup: '', takenAt: '', bytes: 0, kept: 0, verified: '', answer: '', seconds: 0 };

type Texts<Name extends string> = { readonly [Key in Name]: string };

function texts<Name extends string>(fields: Readonly<Record<string, unknown>>, names: readonly Name[]): Texts<Name> {
  const entries = names.map((name) => [name, typeof fields[name] === 'string' ? fields[name] : '']);
  return Object.fromEntries(entries);
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
