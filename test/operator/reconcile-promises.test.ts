import { describe, expect, it } from 'vitest';
import { asking, sandboxForTest } from '@hooklet/sandbox/testing';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';

const CONFIG = {
  configVersion: 'v1',
  reconcile: [
    {
      name: 'sites',
      apiVersion: 'v1',
      kind: 'ConfigMap',
      labelSelector: { matchLabels: { site: 'yes' } },
      owns: [{ apiVersion: 'v1', kind: 'Secret' }],
      concurrency: 1,
      retry: { backoff: { first: '100ms', max: '100ms' } },
    },
  ],
};

/** Ends as the object's data says; makes a Secret of its name. */
const ANSWER = `
"$NODE" -e '
  const { readFileSync, writeFileSync } = require("node:fs");
  const [{ object }] = JSON.parse(readFileSync(process.env.BINDING_CONTEXT_PATH, "utf8"));
  const { how = "", children = "yes" } = object.data ?? {};
  const child = { apiVersion: "v1", kind: "Secret", metadata: { name: object.metadata.name } };
  const answer = JSON.stringify({ children: children === "yes" ? [child] : [] });
  writeFileSync(process.env.RESULT_PATH, how === "unreadable" ? answer.slice(1) : answer);
  process.exit({ fails: 1, "gives up": 78 }[how] ?? 0);
'`;

const BASE = '/api/v1/namespaces/default';

async function startSites() {
  const sandbox = await sandboxForTest();
  const ask = asking(sandbox);
  const operator = startOperator({
    hooks: { 'site.sh': recordingHook(CONFIG, ANSWER) },
    connect: sandboxCluster(sandbox),
    env: { NODE: process.execPath },
  });
  return {
    operator,
    isThere: async (name: string): Promise<boolean> => (await ask('GET', `${BASE}/secrets/${name}`)).status === 200,
    runsOf: (name: string): number =>
      operator.contexts('site.sh').filter((context) => JSON.stringify(context['object']).includes(`"name":"${name}"`))
        .length,
    letters: async (): Promise<string> => (await ask('GET', `${BASE}/configmaps/hooklet-dead-letters`)).text,
    site: async (name: string, data: Readonly<Record<string, string>> = {}): Promise<void> => {
      const metadata = { name, namespace: 'default', labels: { site: 'yes' } };
      await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    },
    [Symbol.asyncDispose]: async () => operator[Symbol.asyncDispose](),
  };
}

describe('a reconcile hook', () => {
  it.each(['fails', 'unreadable'])(
    'leaves the children as they are while its run or its answer is bad: %s',
    async (how) => {
      await using sites = await startSites();
      await sites.site('a');
      await until(async () => expect(await sites.isThere('a')).toBe(true));

      await sites.site('a', { how, children: 'none' });
      const before = sites.runsOf('a');
      await until(() => expect(sites.runsOf('a')).toBeGreaterThan(before + 1));
      expect(await sites.isThere('a')).toBe(true);

      await sites.site('a', { children: 'none' });
      await until(async () => expect(await sites.isThere('a')).toBe(false));
    },
  );

  it('reaches what is wanted for one object while its runs for others fail, one run at a time', async () => {
    await using sites = await startSites();
    for (const name of ['bad-1', 'bad-2', 'bad-3']) await sites.site(name, { how: 'fails' });
    await until(() => expect(sites.runsOf('bad-3')).toBeGreaterThan(1));

    await sites.site('good');
    await until(async () => expect(await sites.isThere('good')).toBe(true));

    expect(sites.runsOf('good')).toBeLessThanOrEqual(2);
  });

  it('has what it gave up kept as a dead letter, until the object changes', async () => {
    await using sites = await startSites();
    await sites.site('a', { how: 'gives up' });
    await until(async () => expect(await sites.letters()).toContain('permanent'));
    expect(sites.runsOf('a')).toBe(1);

    await sites.site('a');
    await until(async () => expect(await sites.isThere('a')).toBe(true));
    await until(async () => expect(await sites.letters()).not.toContain('permanent'));
  });
});
