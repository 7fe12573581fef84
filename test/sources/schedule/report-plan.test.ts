import { describe, expect, it } from 'vitest';
import { newRecord } from '../../../src/sources/schedule/current-record.ts';
import type { Plan } from '../../../src/sources/schedule/plan.ts';
import { reportPlan } from '../../../src/sources/schedule/report-plan.ts';
import { scheduleBinding } from '../../support/bindings.ts';
import { deafObserver } from '../../support/idle-schedule.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const target = { hook: 'h', id: 's', binding: scheduleBinding('s') };
const late = {
  runId: 'r1',
  scheduledAtMs: 1000,
  reason: 'catch-up',
  state: 'waiting',
  attempts: 0,
  holder: 'me',
  heartbeatMs: 0,
} as const;

function told(plan: Partial<Plan>, isTick = true): readonly string[] {
  const log = recordingLogger();
  const nothing = { runs: [], replaced: [], missed: 0, isMissedAtLeast: false, skipped: 0 };
  const whole: Plan = { record: newRecord(target, 0), ...nothing, ...plan };
  reportPlan(whole, { target, nowMs: 61_000, isTick, observer: deafObserver, log });
  return log.lines.map(({ level, message, fields }) => `${level} ${message} ${JSON.stringify(fields)}`);
}

describe('what is told of ticks', () => {
  it.each<[string, Partial<Plan>, readonly string[]]>([
    ['nothing of one on time', { runs: [{ ...late, reason: 'tick' }] }, []],
    [
      'one line of a late one and those missed before it',
      { runs: [late], missed: 4 },
      ['warn schedule runs late {"binding":"s","lateMs":60000,"runs":1,"runId":"r1","missed":4}'],
    ],
    [
      'one line of those missed',
      { missed: 10_000, isMissedAtLeast: true },
      ['warn schedule missed ticks {"binding":"s","missed":">= 10000"}'],
    ],
    [
      'that one takes the place of another',
      { runs: [{ ...late, reason: 'tick' }], replaced: [late] },
      ['info schedule ends an earlier run {"binding":"s","runId":["r1"]}'],
    ],
    ['that another operator was faster', {}, ['debug another operator runs this tick {"binding":"s"}']],
  ])('%s', (_law, plan, lines) => {
    expect(told(plan)).toEqual(lines);
  });

  it('nothing at a start with nothing to do', () => {
    expect(told({}, false)).toEqual([]);
  });
});
