import { expect, it } from 'vitest';
import { readScenarios } from '../../src/scenario/file/read-scenario.ts';
import { regressionText } from '../../src/scenario/story/regression-text.ts';
import type { PerturbFinding } from '../../src/scenario/perturb/report.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { shellHook, writeHooks } from '../support/world-hooks.ts';

const TEXT = `name: another
---
# what it is about
name: grows
steps:
  - tick: 1m # first
    settle: true
  - tick: 2m
    expect: {writes: 0}
  - tick: 3m
perturb: all
`;

const FINDING: PerturbFinding = {
  kind: 'crash',
  disturbance: 'killed after the 2nd effect (ConfigMap default/a created)',
  differences: ['ConfigMap default/a was created twice instead of once', 'one\nmore'],
  plan: 'crash:2@3',
  timeline: [],
};

it('a finding is the story with the one disturbance, without the steps after its 3 actions', async () => {
  using folder = temporaryFolder();
  writeHooks(folder.path, { 'hooks/a.sh': shellHook({ configVersion: 'v1', onStartup: 1 }) });
  const file = `${folder.path}/grows.yaml`;
  const options = { optionNames: [], hooksDir: folder.path };
  const { scenarios } = await readScenarios(file, TEXT, options);
  const scenario = scenarios[1];
  if (scenario === undefined) throw new Error('no second story');

  const text = regressionText(TEXT, scenario, FINDING);

  expect(text).toBe(`# Found by hooklet test: it fails until the hook is mended.
# killed after the 2nd effect (ConfigMap default/a created):
#   ConfigMap default/a was created twice instead of once
#   one | more

# what it is about
name: "grows: killed after the 2nd effect (ConfigMap default/a created)"
steps:
  - tick: 1m # first
    settle: true
  - tick: 2m
    expect: { writes: 0 }
perturb: { plan: crash:2@3 }
`);
  const again = await readScenarios(file, text, options);
  expect([again.problems, again.scenarios[0]?.perturb]).toEqual([[], { kinds: [], plan: 'crash:2@3' }]);
});
