import type { ObjectView, WhyView } from '../../hook/operator-view.ts';
import type { ObjectOutcome } from '../../hook/run-control.ts';
import { objectText } from '../../hook/run-record.ts';
import { printableLine } from '../../lib/printable.ts';
import { againText, agoText, runTable, shortId } from './run-list.ts';
import { textTable } from '../text/text-table.ts';

const HEAD = ['OBJECT', 'HOOK', 'BINDING', 'GENERATION', 'OUTCOME', 'ATTEMPT', 'ENDED', 'NEXT', 'RUN', 'MESSAGE'];

/** The table of `hooklet objects list`. */
export function objectTable(objects: readonly ObjectOutcome[], nowMs: number): string {
  if (objects.length === 0) return 'No run about an object is remembered.\n';
  return textTable(
    HEAD,
    objects.map((one) => [
      `${one.kind} ${objectText(one)}`,
      one.hook,
      one.binding,
      one.generation === undefined ? '' : String(one.generation),
      one.outcome,
      String(one.attempt),
      agoText(one.at, nowMs),
      nextOf(one, nowMs),
      shortId(one.runId),
      one.message ?? '',
    ]),
  );
}

/** The output of `hooklet objects show`. */
export function objectViewText({ outcomes, children, runs }: ObjectView, nowMs: number): string {
  const rows = children.map((child) => [`${child.kind} ${objectText(child)}`, child.apiVersion, child.state ?? '']);
  const made = rows.length === 0 ? '' : `\nCHILDREN\n${textTable(['OBJECT', 'API VERSION', 'STATE'], rows)}`;
  return `${objectTable(outcomes, nowMs)}${made}\nRUNS\n${runTable(runs, nowMs, false)}`;
}

/** The output of `hooklet why`: a line for each binding, with what decides. */
export function whyText({ hook, object, bindings, runs }: WhyView, nowMs: number): string {
  const text = bindings.map(({ binding, type, runs: result, checks }) => {
    const head = `${type} ${binding}: ${VERDICTS[result]}\n`;
    const lines = checks.map(({ field, result: one, message }) => [`  ${MARKS[one]} ${field}`, message] as const);
    const width = Math.max(0, ...lines.map(([name]) => name.length));
    return `${head}${lines.map(([name, message]) => `${name.padEnd(width)}  ${printableLine(message)}\n`).join('')}`;
  });
  const none = `${printableLine(hook)} has no kubernetes or reconcile binding: no object runs it.\n`;
  const last =
    runs.length === 0 ? `No run about ${printableLine(object)} is remembered.\n` : runTable(runs, nowMs, false);
  return `${text.length === 0 ? none : text.join('\n')}\nRUNS\n${last}`;
}

const VERDICTS = {
  yes: 'a change of the object runs the hook',
  no: 'the object does not run the hook',
  unknown: 'whether the object runs the hook is not known',
} as const;

const MARKS = { yes: '+', no: '-', unknown: '?' } as const;

function nextOf({ again, dead }: ObjectOutcome, nowMs: number): string {
  if (dead === true) return 'dead';
  return again === undefined ? '' : againText(again, nowMs);
}
