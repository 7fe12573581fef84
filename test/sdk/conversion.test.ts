import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { conversion, defineHook, type HookRun, onStartup } from '../../src/sdk/index.ts';
import { hooksDir, never, temporaryFolder } from '../support/hook-rig.ts';

interface Old {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly when: string };
}
interface New extends Omit<Old, 'spec'> {
  readonly spec: { readonly hour: number };
}

const crdName = 'crontabs.example.com';
const bindings = {
  tabs: conversion<Old, New>({
    crdName,
    from: 'v1',
    to: 'v2',
    convert: ({ spec, ...rest }) => {
      const hour = Number(spec.when);
      if (Number.isNaN(hour)) throw new Error(`spec.when: got ${spec.when}, expected a number`);
      return { ...rest, spec: { hour } };
    },
    convertBack: async ({ spec, ...rest }) => ({ ...rest, spec: { when: String(spec.hour) } }),
  }),
  next: conversion({ crdName, from: 'example.com/v2', to: 'example.com/v3', convert: (object) => object }),
};
const hook = defineHook({ bindings });
const log = { debug() {}, info() {}, warn() {}, error() {} };
const object = (version: string, spec: object, name = 'a') => ({
  apiVersion: `example.com/${version}`,
  kind: 'CronTab',
  metadata: { name, namespace: 'b' },
  spec,
});
const context = (binding: string, fromVersion: string, toVersion: string, objects: readonly object[]) => [
  { binding, type: 'Conversion', fromVersion, toVersion, review: { request: { objects } } },
];

async function answered(contexts: object): Promise<unknown> {
  const { conversion: response = '', ...rest } = await hook.execute(contexts, { log, signal: never });
  expect(rest).toEqual({ patch: '', metrics: '', result: '' });
  return JSON.parse(response);
}

describe('a conversion in TypeScript', () => {
  it('is declared with both directions, and without snapshots', () => {
    expect(hook.config).toEqual({
      configVersion: 'v1',
      kubernetesCustomResourceConversion: [
        {
          name: 'tabs',
          crdName,
          conversions: [
            { fromVersion: 'v1', toVersion: 'v2' },
            { fromVersion: 'v2', toVersion: 'v1' },
          ],
        },
        {
          name: 'next',
          crdName,
          conversions: [{ fromVersion: 'example.com/v2', toVersion: 'example.com/v3' }],
        },
      ],
    });
  });

  it.each([
    ['tabs', 'v1', 'v2', { when: '3' }, { hour: 3 }],
    ['tabs', 'v2', 'v1', { hour: 3 }, { when: '3' }],
    ['next', 'example.com/v2', 'example.com/v3', {}, {}],
  ] as const)('%s converts from %s to %s, and sets the version', async (...[binding, from, to, before, after]) => {
    const short = (version: string): string => version.replace('example.com/', '');
    expect(await answered(context(binding, from, to, [object(short(from), before)]))).toEqual({
      convertedObjects: [object(short(to), after)],
    });
  });

  it('fails with the object and what its function threw', async () => {
    const objects = [object('v1', { when: '3' }), object('v1', { when: 'noon' }, 'c')];
    expect(await answered(context('tabs', 'v1', 'v2', objects))).toEqual({
      failedMessage: 'CronTab b/c: spec.when: got noon, expected a number',
    });
  });

  it.each([
    ['tabs', 'v1', 'v3'],
    ['other', 'v1', 'v2'],
  ])('fails where the hook has no function: %s, %s to %s', async (binding, from, to) => {
    expect(await answered(context(binding, from, to, []))).toEqual({
      failedMessage: `the hook has no function from ${from} to ${to}`,
    });
  });

  it('stands beside other bindings, whose contexts alone `run` gets', async () => {
    const seen: string[] = [];
    const both = defineHook({
      bindings: { ...bindings, start: onStartup(1) },
      run({ contexts }) {
        seen.push(...contexts.map(({ type }) => type));
      },
    });
    expectTypeOf<
      HookRun<typeof bindings & { start: ReturnType<typeof onStartup> }>['contexts'][number]['type']
    >().toEqualTypeOf<'OnStartup'>();
    await both.execute(context('tabs', 'v1', 'v2', []), { log, signal: never });
    await both.execute([{ binding: 'onStartup' }], { log, signal: never });
    expect(seen).toEqual(['OnStartup']);
  });

  it('is a process hook when its file is executable', async () => {
    using folder = temporaryFolder();
    const env = {
      BINDING_CONTEXT_PATH: join(folder.path, 'context'),
      CONVERSION_RESPONSE_PATH: join(folder.path, 'response'),
      PATH: `${join(process.execPath, '..')}:${process.env['PATH']}`,
    };
    writeFileSync(env.BINDING_CONTEXT_PATH, JSON.stringify(context('tabs', 'v1', 'v2', [object('v1', {})])));
    const { exitCode } = await execa({ reject: false, env })(join(hooksDir, 'run-conversion.ts'));
    expect(exitCode).toBe(0);
    expect(JSON.parse(readFileSync(env.CONVERSION_RESPONSE_PATH, 'utf8'))).toEqual({
      convertedObjects: [object('v2', { seen: true })],
    });
  });
});
