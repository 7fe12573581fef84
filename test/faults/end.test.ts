import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '@hooklet/sandbox';
import { bindingTo, patchFor } from '../support/fault-hooks.ts';
import { lastStates, sightingsOf } from '../support/fault-ledger.ts';
import { configMap, currentCluster, statesIn } from '../support/fault-rig.ts';
import { recordingHook, startOperator, until } from '../support/operator-rig.ts';
import { within } from '../support/within.ts';

const copies = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'copies' } };
// Several times as many patches as are sent in parallel.
const names = Array.from({ length: 150 }, (_, index) => `copy-${index}`);

describe('SIGTERM', () => {
  it('in the middle of a series of patches lets all of them be made', async () => {
    await using sandbox = await startSandbox();
    await sandbox.apply(copies);
    const patches = names.map((name) => `echo '${patchFor(name)}' >> "$KUBERNETES_PATCH_PATH"`).join('\n');
    await using operator = startOperator({
      connect: currentCluster(sandbox),
      hooks: { 'patches.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }, patches) },
      operator: { gracePeriodMs: 60_000 },
    });
    const made = async () => (await statesIn(sandbox, 'copies')).length;
    const end = sandbox.faults.add({ type: 'delay', delayMs: 400, pattern: '/namespaces/copies/configmaps' });
    await until(async () => expect(await made()).toBeGreaterThan(3));

    const before = await made();
    const stopped = operator.stop();
    end();
    await stopped;

    expect(before).toBeLessThan(names.length);
    expect(await made()).toBe(names.length);
  });

  it('in the middle of a Synchronization loses nothing: the next operator gives it again', async () => {
    await using sandbox = await startSandbox();
    await sandbox.apply(configMap('a', '0'));
    const wait = ': > "$OUT/began"; while ! [ -e "$OUT/go" ]; do sleep 0.01; done; exit 1';
    const config = { configVersion: 'v1', kubernetes: [{ ...bindingTo('a'), executeHookOnSynchronization: true }] };
    const options = { connect: currentCluster(sandbox), operator: { gracePeriodMs: 60_000 } };
    await using first = startOperator({ ...options, hooks: { 'hook.sh': recordingHook(config, wait) } });
    await until(() => expect(existsSync(join(first.out, 'began'))).toBe(true));

    const stopped = first.stop();
    await sandbox.apply(configMap('a', '1'));
    writeFileSync(join(first.out, 'go'), '');
    await stopped;
    await using second = startOperator({ ...options, hooks: { 'hook.sh': recordingHook(config) } });

    await until(() => expect(lastStates(sightingsOf(second.contexts('hook.sh')))).toEqual(['a=1']));
    expect(first.lines.map(({ message }) => message)).toContain('hook failed while shutting down, it is not run again');
    expect(readdirSync(join(first.out, '..', 'tmp'))).toEqual([]);
  });

  it('while the API server is away ends within 1 s, where the grace period is 500 ms', async () => {
    await using sandbox = await startSandbox();
    await sandbox.apply(copies);
    const patch = `echo '${patchFor('never')}' > "$KUBERNETES_PATCH_PATH"`;
    await using operator = startOperator({
      connect: currentCluster(sandbox),
      hooks: { 'hook.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }, patch) },
      operator: { gracePeriodMs: 500 },
    });
    sandbox.faults.add({ type: 'silence', pattern: '/namespaces/copies/' });
    await until(() => expect(sandbox.requests.some(({ path }) => path.includes('/copies/'))).toBe(true));

    let hasEnded = false;
    const stopped = operator.stop().then(() => (hasEnded = true));

    await within(1000, () => expect(hasEnded).toBe(true));
    await stopped;
  });
});
