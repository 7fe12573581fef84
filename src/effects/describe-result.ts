import type { Condition, ContextResult, DesiredChild, HookResult, ResultEvent } from '../hook/result.ts';
import { goDuration } from '../lib/duration.ts';
import { shown } from '../lib/shown.ts';
import { isObject } from '../lib/json-object.ts';

const MAX_SHOWN = 2000;

/** What a result says, for people to read, a line for each part: `condition Ready=False NoQuorum: waiting`. */
export function describeResult({ contexts, output, ...whole }: HookResult): readonly string[] {
  const parts = [...contexts].flatMap(([index, part]) => describePart(part).map((line) => `context ${index}: ${line}`));
  return [...describePart(whole), ...parts, ...(output === undefined ? [] : [`output ${cut(output)}`])];
}

function describePart(part: ContextResult): readonly string[] {
  const { refused, state, conditions, status, events, children, finalized } = part;
  const ending = describeEnding(part);
  return [
    ...(ending === '' ? [] : [ending]),
    ...(refused === undefined ? [] : [`refused ${withText(refused.reason, refused.message)}`]),
    ...(state === undefined ? [] : [`state ${cut(state)}`]),
    ...conditions.map(describeCondition),
    ...(status === undefined ? [] : [`status ${shown(status, MAX_SHOWN)}`]),
    ...events.map(describeEvent),
    ...(children === undefined ? [] : [`children ${children.length}`, ...children.map(describeChild)]),
    ...(finalized === true ? ['finalized'] : []),
  ];
}

function describeEnding({ outcome = 'done', retryAfterMs, reason, message }: ContextResult): string {
  const again = retryAfterMs === undefined ? '' : `, again after ${goDuration(retryAfterMs)}`;
  const why = withText(reason ?? '', message ?? '');
  if (outcome === 'done' && again === '' && why === '') return '';
  return `outcome ${outcome}${again}${why === '' ? '' : `, ${why}`}`;
}

function describeCondition({ type, status, reason, message }: Condition): string {
  return `condition ${type}=${status} ${withText(reason, message)}`;
}

function describeEvent({ type, reason, message, object, once }: ResultEvent): string {
  const about =
    object === undefined ? '' : ` about ${[object.kind, object.namespace, object.name].filter(Boolean).join('/')}`;
  const key = once === undefined ? '' : ` once ${shown(once, MAX_SHOWN)}`;
  return `event ${type}${about}${key} ${withText(reason, message)}`;
}

function describeChild({ object, after }: DesiredChild): string {
  const { namespace, name } = isObject(object['metadata']) ? object['metadata'] : {};
  const address = [object['apiVersion'], object['kind'], namespace, name].filter((part) => typeof part === 'string');
  return `child ${address.join('/')}${after.length === 0 ? '' : ` after ${after.join(', ')}`}`;
}

function withText(reason: string, message: string): string {
  return [reason, message].filter((text) => text !== '').join(': ');
}

function cut(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text;
}
