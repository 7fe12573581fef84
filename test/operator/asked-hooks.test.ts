import { expect, it } from 'vitest';
import { isAskBinding } from '../../src/hook/ask-binding.ts';
import { parseConfig } from '../../src/hook/config.ts';
import { LoadedHooks } from '../../src/operator/webhooks/asked-hooks.ts';
import { checkFilter } from '../../src/units/filter-check.ts';
import type { HookUnit } from '../../src/units/hook-unit.ts';
import { never } from '../support/hook-rig.ts';
import { unitRig } from '../support/unit-rig.ts';

const CONFIG = {
  configVersion: 'v1',
  kubernetes: ['shown', 'other'].map((name) => ({ name, kind: 'Pod' })),
  kubernetesValidating: [{ name: 'a.example.com', includeSnapshotsFrom: ['shown'] }],
};

/** A hook whose webhook shows the objects of one of its bindings. */
function rig() {
  const parsed = parseConfig(JSON.stringify(CONFIG), checkFilter);
  if (parsed.type === 'invalid') throw new Error('invalid');
  const [shown, other] = parsed.bindings.filter((one) => one.type === 'kubernetes');
  const binding = parsed.bindings.find(isAskBinding);
  if (binding === undefined || shown === undefined || other === undefined) throw new Error('a binding is missing');
  const units: HookUnit[] = [];
  const asked = new LoadedHooks({
    units: () => units,
    broken: () => [],
    askerOf: (hook) => async () => ({ type: 'refused', reason: hook.name }),
  });
  const unit = unitRig('a.sh', parsed.bindings);
  return { asked, units, unit, binding, shown, other };
}

it('a request waits until what it shows is known', async () => {
  const { asked, units, unit, binding, shown, other } = rig();
  units.push(unit.unit);
  asked.loaded();
  unit.sync(other);
  let isReady = false;
  const ready = asked.ready('a.sh', binding, never).then((ask) => {
    isReady = true;
    return ask;
  });
  await Promise.resolve();
  expect([isReady, asked.isKnown('a.sh', binding)]).toEqual([false, false]);

  unit.sync(shown);

  await ready;
  expect(asked.isKnown('a.sh', binding)).toBe(true);
  await unit.stop();
});

it('a request does not wait longer than its caller', async () => {
  const { asked, units, unit, binding } = rig();
  units.push(unit.unit);
  asked.loaded();
  const controller = new AbortController();
  const ready = asked.ready('a.sh', binding, controller.signal);

  controller.abort(new Error('late'));

  await expect(ready).rejects.toThrow('late');
  await unit.stop();
});

it('a request for a hook that is loaded again waits for it, and not for one that is gone', async () => {
  const { asked, units, unit, binding, shown } = rig();
  unit.sync(shown);
  const [there, gone] = [asked.ready('a.sh', binding, never), asked.ready('b.sh', binding, never)];
  gone.catch(() => {});

  units.push(unit.unit);
  asked.loaded();

  await there;
  await expect(gone).rejects.toThrow('the hook b.sh is gone');
  await unit.stop();
});

it('there are no hooks before all are loaded', () => {
  const { asked, units, unit } = rig();
  units.push(unit.unit);
  expect([asked.hooks(), asked.hasBroken()]).toEqual([[], true]);

  asked.loaded();

  expect([asked.hooks(), asked.hasBroken()]).toEqual([[unit.hook], false]);
});
