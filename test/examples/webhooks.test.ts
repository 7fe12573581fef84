import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { objectsAt, textAt } from '@hooklet/sandbox/testing';
import type { AskTrigger } from '../../src/hook/trigger.ts';
import type { ConversionStep } from '../../src/sources/conversion/chain.ts';
import { convert, type Conversion } from '../../src/sources/conversion/convert.ts';
import { readConversionResponse } from '../../src/sources/conversion/response.ts';
import type { ConvertedObject } from '../../src/sources/conversion/converted.ts';
import { examplesDir } from '../support/example-rig.ts';
import { runProgram } from '../support/program.ts';
import { readScriptConfig, runScript } from '../support/script-rig.ts';
import { step } from '../sources/conversion/conversion-rig.ts';

const hookPath = (example: string, hook: string) => join(examplesDir, example, 'hooks', hook);

interface Judged {
  readonly images: readonly string[];
  readonly init?: readonly string[];
  readonly allowed?: readonly string[];
}

/** What 204 answers to a Deployment with these images. */
async function judge({ images, init = [], allowed = ['registry.example.com/'] }: Judged): Promise<unknown> {
  const template = { spec: { containers: named(images), ...(init.length > 0 && { initContainers: named(init) }) } };
  const review = { request: { operation: 'CREATE', object: { kind: 'Deployment', spec: { template } } } };
  const snapshots = { registries: [{ filterResult: allowed }] };
  const contexts = [{ binding: 'images.example.hooklet.dev', type: 'Validating', review, snapshots }];
  const { admission } = await runScript(hookPath('204-validating-webhook', 'images.sh'), { contexts });
  return JSON.parse(admission);
}

function named(images: readonly string[]): readonly JsonObject[] {
  return images.map((image, index) => ({ name: `c${index}`, image }));
}

/** What a hook of 206 answers to an object that ann creates. */
async function mutated(hook: string, object: JsonObject): Promise<JsonObject> {
  const review = { request: { operation: 'CREATE', userInfo: { username: 'ann' }, object } };
  const contexts = [{ binding: `${hook}.example.hooklet.dev`, type: 'Mutating', review }];
  const { admission } = await runScript(hookPath('206-mutating-webhook', `${hook}.sh`), { contexts });
  const response: unknown = JSON.parse(admission);
  return isJsonObject(response) ? response : {};
}

const HOOKS = ['v1alpha1-v1beta1.sh', 'v1beta1-v1.sh'];

const converterPath = (hook: string): string => hookPath('210-conversion-webhook', hook);

/** The rules of the hooks of 210, as they say them. */
async function readSteps(): Promise<readonly ConversionStep[]> {
  const steps = HOOKS.map(async (hook) => {
    const config: unknown = parse(await readScriptConfig(converterPath(hook)));
    const [binding = {}] = isJsonObject(config) ? objectsAt(config, 'kubernetesCustomResourceConversion') : [];
    const rules = objectsAt(binding, 'conversions');
    return rules.map((rule) => step(hook, textAt(rule, 'fromVersion'), textAt(rule, 'toVersion')));
  });
  return (await Promise.all(steps)).flat();
}

/** Converts Timers by the hooks of 210, as a ConversionReview does. */
async function converted(objects: readonly ConvertedObject[], version: string): Promise<Conversion> {
  const ask = async ({ hook }: ConversionStep, trigger: AskTrigger) => {
    const { conversion, failure } = await runScript(converterPath(hook), { contexts: [contextOf(trigger)] });
    if (failure !== undefined) return { type: 'failed', message: failure } as const;
    return { type: 'answered', response: readConversionResponse(conversion) } as const;
  };
  const request = { uid: '1', desiredAPIVersion: `example.hooklet.dev/${version}`, objects };
  return convert(request, { steps, ask, signal: new AbortController().signal });
}

function contextOf({ binding, contextType, members }: AskTrigger): JsonObject {
  const parsed = Object.entries(members).map(([name, text]) => [name, JSON.parse(text) as unknown]);
  return { binding: binding.name, type: contextType, ...Object.fromEntries(parsed) };
}

const timer = (version: string, name: string, spec: object): ConvertedObject => ({
  apiVersion: `example.hooklet.dev/${version}`,
  kind: 'Timer',
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: { message: 'now', ...spec },
});

const ALPHA = [
  timer('v1alpha1', 'zoned', { when: 'TZ=Europe/Berlin 30 12 * * *' }),
  timer('v1alpha1', 'plain', { when: '*/5 * * * 1-5' }),
];
const STABLE = [
  timer('v1', 'zoned', { schedule: { crontab: '30 12 * * *', timeZone: 'Europe/Berlin' } }),
  timer('v1', 'plain', { schedule: { crontab: '*/5 * * * 1-5' } }),
];

let steps: readonly ConversionStep[] = [];
beforeAll(async () => {
  steps = await readSteps();
});

describe('the examples of webhooks', () => {
  it.each([
    ['204-validating-webhook', 'images.sh'],
    ['206-mutating-webhook', 'creator.sh'],
    ['210-conversion-webhook', 'v1alpha1-v1beta1.sh'],
  ])('%s answers its request.json as its README says', async (example, hook) => {
    const path = hookPath(example, hook);
    const request = join(examplesDir, example, 'request.json');

    const { exitCode, stdout } = await runProgram(['run', path, '--context', request]);

    const [answer = ''] = stdout.split('\n');
    expect([exitCode, answer]).toEqual([0, expect.stringMatching(/^(?:admission|conversion) response \{/)]);
    expect(readFileSync(join(examplesDir, example, 'README.md'), 'utf8')).toContain(`\n${answer}\n`);
  });

  it('204-validating-webhook allows images of allowed registries', async () => {
    expect(await judge({ images: ['registry.example.com/web:1', 'registry.example.com/a@sha256:0'] })).toEqual({
      allowed: true,
      warnings: [],
    });
  });

  it('204-validating-webhook names every foreign image, those of init containers too', async () => {
    expect(await judge({ images: ['nginx:1', 'registry.example.com/web:1'], init: ['quay.io/x:1'] })).toEqual({
      allowed: false,
      message: 'quay.io/x:1, nginx:1: take images of registry.example.com/',
      warnings: [],
    });
  });

  it('204-validating-webhook warns of images without a fixed tag', async () => {
    const images = [
      'registry.example.com:5000/web',
      'registry.example.com:5000/web:latest',
      'registry.example.com:5000/a:1',
    ];
    const fixed = (image = '') => `${image}: a fixed tag would keep it from changing`;

    expect(await judge({ images, allowed: ['registry.example.com:5000/'] })).toEqual({
      allowed: true,
      warnings: [fixed(images[0]), fixed(images[1])],
    });
  });

  it('206-mutating-webhook adds the creator beside other annotations', async () => {
    const object = { kind: 'Deployment', metadata: { name: 'web', annotations: { a: 'b' } } };
    const response = await mutated('creator', object);

    expect(response['allowed']).toBe(true);
    expect(JSON.parse(Buffer.from(textAt(response, 'patch'), 'base64').toString())).toEqual([
      { op: 'add', path: '/metadata/annotations', value: { a: 'b', 'example.hooklet.dev/creator': 'ann' } },
    ]);
  });

  it('206-mutating-webhook gives the requests that are missing, and nothing at the second time', async () => {
    const container = { name: 'web', resources: { limits: { cpu: '1' }, requests: { cpu: '200m' } } };
    const deployment = (...containers: readonly JsonObject[]): JsonObject => ({
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { replicas: 2, template: { spec: { containers } } },
    });
    const expected = deployment(
      { ...container, resources: { limits: { cpu: '1' }, requests: { cpu: '200m', memory: '64Mi' } } },
      { name: 'proxy', resources: { requests: { cpu: '50m', memory: '64Mi' } } },
    );

    expect(await mutated('requests', deployment(container, { name: 'proxy' }))).toEqual({
      allowed: true,
      object: expected,
    });
    expect(await mutated('requests', expected)).toEqual({ allowed: true, object: expected });
  });

  it('210-conversion-webhook converts from v1alpha1 to v1 through both hooks, and back to what it was', async () => {
    expect(await converted(ALPHA, 'v1')).toEqual({ type: 'converted', objects: STABLE });
    expect(await converted(STABLE, 'v1alpha1')).toEqual({ type: 'converted', objects: ALPHA });
  });

  it('210-conversion-webhook converts objects of several versions in one request', async () => {
    const beta = timer('v1beta1', 'beta', { crontab: '0 3 * * *', timeZone: 'UTC' });

    expect(await converted([...ALPHA, beta, ...STABLE], 'v1')).toEqual({
      type: 'converted',
      objects: [...STABLE, timer('v1', 'beta', { schedule: { crontab: '0 3 * * *', timeZone: 'UTC' } }), ...STABLE],
    });
  });
});
