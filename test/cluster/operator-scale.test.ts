import { expect, it } from 'vitest';
import { recordingHook, startOperator } from '../support/operator-rig.ts';
import { bindMaps, connectAs, handsOn, summary, until } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
const COUNT = 5000;
const AT_ONCE = 32;

it('5,000 objects are all in the Synchronization, and later events come one by one', async () => {
  const hands = await handsOn(plane);
  const names = Array.from({ length: COUNT }, (_, index) => `cm-${String(index).padStart(4, '0')}`);
  for (let start = 0; start < COUNT; start += AT_ONCE) {
    await Promise.all(names.slice(start, start + AT_ONCE).map(async (name) => hands.configMap(name, { name })));
  }
  await using operator = startOperator({
    connect: connectAs(plane, 'admin'),
    hooks: { 'hook.sh': recordingHook({ configVersion: 'v1', kubernetes: [bindMaps(hands.namespace)] }) },
  });
  await until(() => expect(operator.runs('hook.sh')).toHaveLength(1));
  expect(operator.contexts('hook.sh').map(summary)).toEqual([`Synchronization ${names.join(' ')}`]);

  await hands.patch(hands.maps('cm-2500'), { data: { name: 'changed' } });
  await hands.call('DELETE', hands.maps('cm-4999'));
  await hands.configMap('one-more');

  await until(
    () =>
      expect(operator.contexts('hook.sh').slice(1).map(summary)).toEqual([
        'Modified cm-2500',
        'Deleted cm-4999',
        'Added one-more',
      ]),
    60_000,
  );
}, 240_000);
