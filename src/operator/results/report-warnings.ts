import type { Logger } from '../../log.ts';
import type { Run } from '../../run/run.ts';
import type { ResultSubject } from './result-subjects.ts';

/** Reports why a part of a result was not written. */
export type ReportWarning = (run: Run, problem: string, subject?: ResultSubject) => void;

/** The same problem of a hook is a warning once in this time. */
const WARN_EVERY_MS = 600_000;
const MAX_WARNED = 1000;

/** Warns of problems of hooks; of the same one of a hook, whatever its object, again only after a while. */
export function reportWarnings({ log, now }: { readonly log: Logger; readonly now: () => number }): ReportWarning {
  const warnedAtMs = new Map<string, number>();
  return ({ id, task: { hook } }, problem, subject) => {
    const kind = subject === undefined ? '' : subject.kind.kind;
    const key = JSON.stringify([hook.name, kind, withoutName(problem, subject)]);
    const nowMs = now();
    const isRepeated = nowMs - (warnedAtMs.get(key) ?? -Infinity) < WARN_EVERY_MS;
    const fields = { hook: hook.name, run: id, problem, ...(subject && { object: nameOf(subject) }) };
    log[isRepeated ? 'debug' : 'warn'](fields, 'a part of the result of the hook was not written');
    if (isRepeated) return;
    warnedAtMs.delete(key);
    warnedAtMs.set(key, nowMs);
    const [oldest] = warnedAtMs.size > MAX_WARNED ? warnedAtMs.keys() : [];
    if (oldest !== undefined) warnedAtMs.delete(oldest);
  };
}

/** The API server names an object in quotes, or behind its namespace. */
function withoutName(problem: string, subject: ResultSubject | undefined): string {
  if (subject === undefined) return problem;
  return problem.replaceAll(`"${subject.name}"`, '').replaceAll(`/${subject.name};`, '');
}

function nameOf({ kind: { kind }, namespace, name }: ResultSubject): string {
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
