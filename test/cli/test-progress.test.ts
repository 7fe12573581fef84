import { expect, it } from 'vitest';
import { Progress } from '../../src/cli/test/progress.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';

const SCENARIO: Scenario = {
  file: 'a.yaml',
  line: 1,
  name: 'copies\u001b[2J follow their Secret',
  given: { hooksDir: '/', objects: [], startMs: 0, env: {} },
  steps: [],
  never: [],
  perturb: { kinds: [] },
};

function rig(terminal: { readonly isTTY?: boolean; readonly columns?: number }) {
  const texts: string[] = [];
  const state = { nowMs: 0 };
  const progress = new Progress({
    terminal: { ...terminal, write: (text) => texts.push(text) },
    nowMs: () => state.nowMs,
  });
  return { progress, texts, state };
}

it('on a terminal one line is written again, at most every 100 ms, and taken away', () => {
  const { progress, texts, state } = rig({ isTTY: true, columns: 200 });
  progress.plan(SCENARIO, 'crash', 1, 3);
  state.nowMs = 99;
  progress.plan(SCENARIO, 'crash', 2, 3);
  state.nowMs = 2000;
  progress.plan(SCENARIO, 'crash', 3, 3);
  progress.clear();
  progress.clear();

  expect(texts).toEqual([
    '\r\u001b[K1 played in 0 s, crash 1 of 3: copies\\u001b[2J follow their Secret',
    '\r\u001b[K3 played in 2 s, crash 3 of 3: copies\\u001b[2J follow their Secret',
    '\r\u001b[K',
  ]);
});

it('the line never wraps', () => {
  const { progress, texts } = rig({ isTTY: true, columns: 40 });
  progress.plan(SCENARIO, 'crash', 1, 3);

  expect(texts).toEqual(['\r\u001b[K1 played in 0 s, crash 1 of 3: copies\\…']);
});

it('nothing is written where there is no terminal', () => {
  const { progress, texts } = rig({});
  progress.plan(SCENARIO, 'crash', 1, 3);
  progress.clear();

  expect(texts).toEqual([]);
});
