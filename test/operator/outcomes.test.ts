import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { controlClient } from '../../src/cli/control/client.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { sandboxCluster, startOperator, until } from '../support/operator-rig.ts';
import { webSiteDefinition } from '../support/web-site.ts';

/** Ends for each object as the first letters of its name say, the first time; what is `bad` until it is mended. */
const HOOK = `
import { appendFileSync, existsSync } from 'node:fs';
import { defineHook, kubernetes, Later, Permanent } from 'hooklet';

const seen = new Map();
const { OUT } = process.env;

export default defineHook({
  bindings: {
    sites: kubernetes({ apiVersion: 'example.com/v1', kind: 'WebSite', executeHookOnSynchronization: false }),
  },
  async run({ contexts, result }) {
    const names = contexts.map(({ object }) => object.metadata.name);
    appendFileSync(OUT + '/runs', names.join(' ') + '\\n');
    while (names.includes('slow') && !existsSync(OUT + '/go')) await new Promise((resolve) => setTimeout(resolve, 20));
    for (const [at, context] of contexts.entries()) {
      const name = names[at];
      const times = (seen.get(name) ?? 0) + 1;
      seen.set(name, times);
      if (name === 'wait' && times === 1) throw new Later('1s', 'not yet');
      if (name === 'bad' && !existsSync(OUT + '/mended')) throw new Permanent('NameTaken', 'another name is needed');
      if (name === 'many-7' && times === 1) {
        result.context(at).failed('NotThere', 'no such page');
        result.context(at).retryAfter('200ms');
      } else {
        result.context(at).status({ times });
        result.context(at).condition({ type: 'Seen', status: 'True', reason: 'Seen' });
      }
    }
  },
});
`;
const SITES = '/apis/example.com/v1/namespaces/default/websites';

async function start() {
  const sandbox = await sandboxForTest();
  await sandbox.apply(webSiteDefinition('example.com'));
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const path = join(folder.path, 'hooklet.socket');
  const operator = startOperator({
    connect: sandboxCluster(sandbox),
    hooks: { 'sites.ts': HOOK },
    operator: { controlSocket: { path, isRequired: true } },
  });
  onTestFinished(async () => operator[Symbol.asyncDispose]());
  await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
  const runsFile = join(operator.out, 'runs');
  return {
    control: controlClient(path),
    touch: (name: string) => writeFileSync(join(operator.out, name), ''),
    runs: () => (existsSync(runsFile) ? readFileSync(runsFile, 'utf8').trim().split('\n') : []),
    put: async (name: string, spec = {}) =>
      sandbox.apply({ apiVersion: 'example.com/v1', kind: 'WebSite', metadata: { name, namespace: 'default' }, spec }),
    statusOf: async (name: string) => (await sandbox.call('GET', `${SITES}/${name}`)).body,
    statusWrites: () => sandbox.requests.filter(({ method, path: at }) => method === 'PATCH' && at.endsWith('/status')),
  };
}

describe('in an operator', () => {
  it('what cannot be done yet leaves the head of its queue, and comes again by itself', async () => {
    const { put, runs } = await start();
    await put('wait');
    await until(() => expect(runs()).toEqual(['wait']));

    await put('next');

    await until(() => expect(runs()).toEqual(['wait', 'next', 'wait']));
  });

  it('what failed for good holds up nobody, is kept as a dead letter, and is run again by hand', async () => {
    const { put, runs, control, touch, statusOf } = await start();
    await put('bad');
    await until(async () =>
      expect(await control.ask('GET', '/dead')).toMatchObject({
        letters: [{ hook: 'sites.ts', why: 'permanent', reason: 'NameTaken', message: 'another name is needed' }],
      }),
    );
    await put('next');
    await until(() => expect(runs()).toEqual(['bad', 'next']));
    touch('mended');

    expect(await control.ask('POST', '/dead/retry?hook=sites.ts')).toMatchObject({ retried: 1 });

    await until(async () => expect(await statusOf('bad')).toMatchObject({ status: { times: 2 } }));
    await until(async () => expect(await control.ask('GET', '/dead')).toMatchObject({ letters: [] }));
    expect(runs()).toEqual(['bad', 'next', 'bad']);
  });

  it('one object of 20 in a run that failed is run again alone', async () => {
    const { put, runs, touch, statusOf } = await start();
    await put('slow');
    await until(() => expect(runs()).toEqual(['slow']));
    const names = Array.from({ length: 20 }, (_, at) => `many-${at}`);
    for (const name of names) await put(name);
    touch('go');

    await until(() => expect(runs()).toHaveLength(3));
    expect(runs()).toEqual(['slow', names.join(' '), 'many-7']);
    await until(async () => expect(await statusOf('many-7')).toMatchObject({ status: { times: 2 } }));
    expect(await statusOf('many-8')).toMatchObject({ status: { times: 1 } });
  });

  it('the status of an object is written once for a change, and does not run the hook again', async () => {
    const { put, runs, statusOf, statusWrites } = await start();
    for (const times of [1, 2, 3]) {
      await put('site', { times });
      await until(async () =>
        expect(await statusOf('site')).toMatchObject({
          status: { times, conditions: [{ type: 'Seen', status: 'True', observedGeneration: times }] },
        }),
      );
    }
    await put('last');
    await until(() => expect(runs().at(-1)).toBe('last'));

    expect(runs()).toEqual(['site', 'site', 'site', 'last']);
    await until(() => expect(statusWrites()).toHaveLength(4));
  });
});
