import type { Expectation } from '../expectation.ts';
import type { Difference } from './difference.ts';
import type { Evidence } from './evidence.ts';
import { objectDifferences, statusDifferences } from './expected-objects.ts';
import { runDifferences } from './expected-runs.ts';
import { answerDifferences, eventDifferences, logDifferences, metricDifferences } from './expected-signals.ts';
import { callDifferences, writeDifferences } from './expected-writes.ts';

/** Everything in which the step differs from what is expected of it. */
export function checkExpectation(expected: Expectation, evidence: Evidence): readonly Difference[] {
  const { runs, objects, writes, calls, status, events, metrics, answer, log } = expected;
  return [
    runs === undefined ? [] : runDifferences(runs, evidence),
    writes === undefined ? [] : writeDifferences(writes, evidence),
    objects === undefined ? [] : objectDifferences(objects, evidence),
    calls === undefined ? [] : callDifferences(calls, evidence),
    status === undefined ? [] : statusDifferences(status, evidence),
    events === undefined ? [] : eventDifferences(events, evidence),
    metrics === undefined ? [] : metricDifferences(metrics, evidence),
    answer === undefined ? [] : answerDifferences(answer, evidence.answer),
    log === undefined ? [] : logDifferences(log, evidence),
  ].flat();
}
