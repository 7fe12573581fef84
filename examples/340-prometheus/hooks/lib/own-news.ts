import type { ConditionToSet, EventToRecord } from 'hooklet';
import type { Prometheus } from './resources.ts';

/** The conditions of a Prometheus, and an Event for each that says something else than before and is bad. */
export function ownNews(
  { status = {} }: Prometheus,
  conditions: readonly ConditionToSet[],
): { readonly conditions: readonly ConditionToSet[]; readonly events: readonly EventToRecord[] } {
  const news = conditions.filter(({ type, status: is, reason, message }) => {
    const old = status.conditions?.find((one) => one.type === type);
    return (
      is === 'False' &&
      reason !== 'Waiting' &&
      (old?.status !== 'False' || old.reason !== reason || old.message !== message)
    );
  });
  return {
    conditions,
    events: news.map(({ reason, message = '' }) => ({ type: 'Warning', reason, message })),
  };
}

/** Several sentences as one message of at most 1,000 characters. */
export function joined(sentences: readonly string[]): string {
  const all = sentences.join('; ');
  return all.length <= MAX_MESSAGE ? all : `${all.slice(0, MAX_MESSAGE - 1)}…`;
}

const MAX_MESSAGE = 1000;
