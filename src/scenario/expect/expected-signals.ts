/* What a step told the outside: Events, metrics, answers and the log. */

import { isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';
import { shown } from '../../lib/shown.ts';
import type { ExpectedAnswer, ExpectedEvent, ExpectedMetric } from '../expectation.ts';
import type { Moment } from '../timeline.ts';
import { listed } from './counts.ts';
import { type Difference, wordOf } from './difference.ts';
import type { Evidence } from './evidence.ts';
import { type Sample, samplesOf } from './samples.ts';
import { differences, isSubset } from './subset.ts';

/** Compares the Events that were written in the step: each that is expected is one of them. */
export function eventDifferences(
  expected: readonly ExpectedEvent[],
  { moments }: Pick<Evidence, 'moments'>,
): readonly Difference[] {
  const events = moments.flatMap(eventOf);
  return expected.flatMap(({ absent, message, ...plain }, index) => {
    const wanted = { ...plain } as unknown as JsonObject;
    const fitting = events.filter((one) => isSubset(wanted, one) && wordOf(one['message']).includes(message ?? ''));
    if (fitting.length === 0 ? absent === true : absent !== true) return [];
    const lines = (absent === true ? fitting : events).map(eventText);
    const text = absent === true ? 'expected no such Event, found' : 'expected such an Event, found';
    return [{ at: ['events', index], message: `${text} ${lines.length}${listed(lines)}` }];
  });
}

function eventOf(moment: Moment): readonly JsonObject[] {
  if (moment.type !== 'write' || moment.object.kind !== 'Event' || moment.after === undefined) return [];
  const { type = null, reason = null, message = '', note = message, involvedObject, regarding } = moment.after;
  const about = regarding ?? involvedObject;
  return [{ type, reason, message: note, object: isJsonObject(about) ? nameIn(about) : {} }];
}

function nameIn({ apiVersion = '', kind = '', namespace = '', name = '' }: JsonObject): JsonObject {
  return { apiVersion, kind, namespace, name };
}

function eventText({ type, reason, message, object }: JsonObject): string {
  const { kind, namespace, name } = isJsonObject(object) ? object : {};
  const about = [kind, namespace, name].map(wordOf).filter((part) => part !== '');
  return `${wordOf(type)} ${wordOf(reason)} ${about.join('/')}: ${shown(message)}`;
}

/** Compares metrics: of the series with these labels one has the value. */
export function metricDifferences(
  expected: readonly ExpectedMetric[],
  { metrics }: Pick<Evidence, 'metrics'>,
): readonly Difference[] {
  const samples = samplesOf(metrics);
  return expected.flatMap(({ name, labels = {}, value, absent }, index) => {
    const named = samples.filter((sample) => sample.name === name);
    const fitting = named.filter((sample) => isSubset({ ...labels }, { ...sample.labels }));
    const at = ['metrics', index];
    if (absent === true) {
      if (fitting.length === 0) return [];
      return [{ at, message: `expected no such metric, found${listed(fitting.map(sampleText))}` }];
    }
    if (fitting.length === 0) {
      const there = named.length === 0 ? 'no metric of this name' : `only${listed(named.map(sampleText))}`;
      return [{ at, message: `expected ${name} with these labels, found ${there}` }];
    }
    if (value === undefined || fitting.some((sample) => sample.value === value)) return [];
    const [first, ...more] = fitting;
    const message = `expected ${value}, found${listed(fitting.map(sampleText))}`;
    return [{ at: [...at, 'value'], message, ...(first && more.length === 0 && { found: first.value }) }];
  });
}

function sampleText({ name, labels, value }: Sample): string {
  const inner = Object.entries(labels).map(([key, text]) => `${key}=${JSON.stringify(text)}`);
  return `${name}${inner.length === 0 ? '' : `{${inner.join(',')}}`} ${value}`;
}

/** Compares the answer to the last request of the step. */
export function answerDifferences(expected: ExpectedAnswer, answer: Evidence['answer']): readonly Difference[] {
  if (answer === undefined) return [{ at: ['answer'], message: 'expected an answer, but nothing was answered' }];
  const { code, body, warnings = [] } = answer;
  const said = `the answer was ${code} ${shown(body, 500)}`;
  const found = { code, allowed: code < 400, message: messageOf(body), warnings: [...warnings] };
  const differing = PARTS.filter((part) => expected[part] !== undefined && !isMet(part, expected, found));
  const parts = differing.map((part): Difference => {
    const wanted = `expected ${part === 'message' ? 'a text with ' : ''}${shown(expected[part], 500)}`;
    const message = `${wanted}${part === 'code' ? '' : `, found ${shown(found[part], 500)}`}; ${said}`;
    return { at: ['answer', part], message, found: found[part] };
  });
  return expected.body === undefined ? parts : [...parts, ...differences(expected.body, body, ['answer', 'body'])];
}

const PARTS = ['code', 'allowed', 'message', 'warnings'] as const;
type Parts = Required<Pick<ExpectedAnswer, (typeof PARTS)[number]>>;

function isMet(part: (typeof PARTS)[number], expected: ExpectedAnswer, found: Parts): boolean {
  switch (part) {
    case 'message':
      return found.message.includes(expected.message ?? '');
    case 'warnings':
      return areIn(expected.warnings ?? found.warnings, found.warnings);
    case 'code':
    case 'allowed':
      return expected[part] === found[part];
  }
}

function areIn(parts: readonly string[], texts: readonly string[]): boolean {
  return parts.length === texts.length && parts.every((part, index) => texts[index]?.includes(part));
}

function messageOf(body: JsonValue): string {
  if (typeof body === 'string') return body;
  const message = isJsonObject(body) ? body['message'] : undefined;
  return typeof message === 'string' ? message : '';
}

const LAST_LINES = 10;

/** Compares the log: each text is in a line of the step. */
export function logDifferences(
  expected: readonly string[],
  { moments }: Pick<Evidence, 'moments'>,
): readonly Difference[] {
  const lines = moments.flatMap((moment) => (moment.type === 'log' ? [logText(moment)] : []));
  return expected.flatMap((text, index) => {
    if (lines.some((line) => line.includes(text))) return [];
    const message = `expected a line of the log with ${JSON.stringify(text)}, found ${lines.length} line(s), at last${listed(lines.slice(-LAST_LINES))}`;
    return [{ at: ['log', index], message }];
  });
}

/** `INFO hook finished hook=a.sh`. */
export function logText({ level, message, fields }: Moment & { readonly type: 'log' }): string {
  const rest = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [level.toUpperCase(), message, ...rest].join(' ');
}
