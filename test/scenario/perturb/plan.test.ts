import { describe, expect, test } from 'vitest';
import { parsePlan, planText } from '../../../src/scenario/perturb/plan.ts';

describe('the text of a plan', () => {
  test.each([
    'twice',
    'crash:2',
    'crash:2@3',
    'crash:1@0',
    'skip:5',
    'double:5',
    'stale:15',
    'down:3@3',
    'past:2',
    'refuse:3:409',
    'refuse:3:timeout',
    'app:1:fail',
    'app:2:empty@1',
    'misuse:Cluster/default/db:/spec/size:removed',
    'misuse:Cluster//db:/spec/a~1b:c/0:wrong-type',
  ])('%s is read as it is written', (text) => {
    expect(planText(parsePlan(text))).toBe(text);
  });

  test.each(['', 'crash', 'crash:0', 'crash:x', 'crash:1:409', 'refuse:1:418', 'app:1:slow', 'kill:1', 'misuse:a:b:c'])(
    '%j is refused with what there is',
    (text) => {
      expect(() => parsePlan(text)).toThrow(`there is no plan ${JSON.stringify(text)}: a plan is twice, crash:N`);
    },
  );
});
