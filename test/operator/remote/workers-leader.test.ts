import { expect, it } from 'vitest';
import { until } from '../../support/operator-rig.ts';
import { mapNamed, ON_MAPS, remoteRig, workersHook } from '../../support/remote-rig.ts';

// Long times, so that a busy machine does not lose the lease.
const LONG = { leaseName: 'hooklet', leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 200 };
const SHORT = { ...LONG, leaseDurationMs: 10_000, renewDeadlineMs: 6000 };

it('a worker goes on with the next leader at once when the former one ended in good order, whatever the silence is', async () => {
  const rig = await remoteRig({
    silenceMs: 600_000,
    hooks: { 'a.sh': workersHook(ON_MAPS, 'cat "$BINDING_CONTEXT_PATH" >> "$OUT/seen"') },
  });
  const first = await rig.operator({ leaderElection: LONG });
  await until(() => expect(first.status().role).toBe('leading'));
  const second = await rig.operator({ leaderElection: LONG });
  await rig.worker('w1', [first.url, second.url]);
  await rig.sandbox.apply(mapNamed('before'));
  await until(() => expect(rig.read('seen')).toContain('before'));
  expect(second.status().role).toBe('standing-by');

  await first.stop();
  await rig.sandbox.apply(mapNamed('after'));

  await until(() => expect(rig.read('seen')).toContain('after'));
});

it('a run of a leader that is cut off ends before the next leader hands it out, after 3 s of silence', async () => {
  const body = `trap 'echo end >> "$OUT/order"; exit 1' TERM
echo begin >> "$OUT/order"
[ -e "$OUT/again" ] && exit 0
touch "$OUT/again"
sleep 600 &
wait`;
  const rig = await remoteRig({ silenceMs: 3000, hooks: { 'a.sh': workersHook({ onStartup: 1 }, body) } });
  const first = await rig.operator({ leaderElection: SHORT });
  await until(() => expect(first.status().role).toBe('leading'));
  const second = await rig.operator({ leaderElection: SHORT });
  await rig.worker('w1', [first.url, second.url]);
  await until(() => expect(rig.lines('order')).toEqual(['begin']));

  first.cut();

  await until(() => expect(second.status()).toMatchObject({ role: 'leading', running: [], queues: [] }));
  await until(() => expect(rig.lines('order')).toEqual(['begin', 'end', 'begin']));
});
