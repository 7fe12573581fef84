import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HookFailedError } from '../../src/errors.ts';
import type { AdmissionBinding, AskBinding, ConversionBinding } from '../../src/hook/ask-binding.ts';
import { webhookPath } from '../../src/hook/webhook-names.ts';
import { createLogger } from '../../src/log.ts';
import { createMetrics } from '../../src/metrics.ts';
import { AdmissionRoutes } from '../../src/operator/webhooks/admission-routes.ts';
import type { AskedHooks } from '../../src/operator/webhooks/asked-hooks.ts';
import { ConversionRoutes } from '../../src/operator/webhooks/conversion-routes.ts';
import { failureOf } from '../../src/run/attempt.ts';
import type { Ask } from '../../src/run/asked-runs.ts';
import { hookWith } from '../support/bindings.ts';

type Line = Readonly<Record<string, unknown>>;

interface Answered {
  readonly response: string;
  /** Whether the hook ended with an exit code. */
  readonly fails: boolean;
  readonly logged: readonly Line[];
}

interface PeerLog {
  readonly admission: readonly (Answered & { readonly hook: string; readonly webhook: string })[];
  readonly conversion: readonly (Answered & Readonly<Record<'from' | 'to' | 'binding', string>>)[];
}

const file = new URL('../fixtures/shell-operator-webhook-log.json', import.meta.url);
/** What a running shell-operator logged for these requests. */
const PEER = JSON.parse(readFileSync(file, 'utf8')) as PeerLog;
const TEXTS_OF_OURS = ['error', 'event.id'];

function comparable(line: Line): Line {
  const { time: _time, ...rest } = line;
  return Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, TEXTS_OF_OURS.includes(key) ? '' : value]),
  );
}

/** One hook that answers each request so, and the lines that are logged. */
function rig(hook: string, binding: AskBinding, { response, fails }: Answered, logCompat = true) {
  const lines: string[] = [];
  const log = createLogger({ format: 'compat', level: 'info', write: (line) => lines.push(line) });
  const ask: Ask = async (trigger) => {
    if (fails) return failureOf(new HookFailedError(`${hook} FAILED: exit status 3`, undefined));
    try {
      if (trigger.type === 'ask') trigger.check?.({ admission: response, conversion: response });
    } catch (error) {
      return failureOf(error);
    }
    return { type: 'succeeded', cost: { durationMs: 1, usage: {} }, applied: [] };
  };
  const asked: AskedHooks = {
    isLoaded: () => true,
    hooks: () => [hookWith(hook, [binding])],
    hasBroken: () => false,
    broken: () => [],
    isKnown: () => true,
    ready: async () => ask,
    async *changes() {},
  };
  return { options: { asked, metrics: createMetrics(''), logCompat, log }, lines, logged: () => lines.map(parsed) };
}

function parsed(line: string): Line {
  return comparable(JSON.parse(line) as Line);
}

function call(review: object) {
  return {
    body: Buffer.from(JSON.stringify(review)),
    contentType: 'application/json',
    signal: new AbortController().signal,
  };
}

function admissionBinding(name: string): AdmissionBinding {
  return {
    type: name.startsWith('mut') ? 'kubernetesMutating' : 'kubernetesValidating',
    name,
    rules: [],
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    timeoutSeconds: 10,
    matchConditions: [],
    includeSnapshotsFrom: [],
  };
}

const CONVERTS_NOTHING: ConversionBinding = {
  type: 'kubernetesCustomResourceConversion',
  name: 'convert',
  crdName: 'crontabs.example.com',
  conversions: [],
  includeSnapshotsFrom: [],
};

function reviewOf(name: string): object {
  const request = { uid: `u-${name.replaceAll('.', '-')}`, kind: { kind: 'ConfigMap' }, name: 'cm1', namespace: 'ns1' };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { ...request, object: {} } };
}

describe('the log of requests as that of shell-operator', () => {
  it.each(PEER.admission)('has those to the webhook $webhook as there', async (answered) => {
    const { hook, webhook, logged: theirs } = answered;
    const { options, logged } = rig(hook, admissionBinding(webhook), answered);
    const routes = new AdmissionRoutes(options);
    routes.update();

    await routes.routeOf(webhookPath(webhook))?.answer(call(reviewOf(webhook)));

    expect(logged()).toEqual(theirs.map(comparable));
  });

  it.each(PEER.conversion)('has a conversion from $from to $to as there', async (answered) => {
    const { from, to, binding: name, logged: theirs } = answered;
    const conversions = name === '' ? [] : [{ fromVersion: from, toVersion: to }];
    const other = { fromVersion: 'example.com/v0', toVersion: 'example.com/v1' };
    const binding = { ...CONVERTS_NOTHING, name, conversions: [...conversions, other] };
    const { options, logged } = rig('conv.sh', binding, answered);
    const routes = new ConversionRoutes(options);
    routes.update();

    const objects = [{ apiVersion: from, kind: 'CronTab', metadata: { name: 'a' } }];
    const request = { uid: `c-${to.split('/')[1] ?? ''}`, desiredAPIVersion: to, objects };
    await routes.routeOf('/crontabs.example.com')?.answer(call({ kind: 'ConversionReview', request }));

    expect(logged()).toEqual(theirs.map(comparable));
  });

  it('says nothing of bodies that are no review', async () => {
    const { route, logged } = allowing(true);

    expect((await route?.answer(call({})))?.status).toBe(400);
    expect(logged()).toEqual([]);
  });

  it('is bounded, whatever a request has in it', async () => {
    const binding = {
      ...CONVERTS_NOTHING,
      conversions: [{ fromVersion: 'example.com/v0', toVersion: 'example.com/v1' }],
    };
    const { options, lines, logged } = rig('conv.sh', binding, { response: '', fails: false, logged: [] });
    const routes = new ConversionRoutes(options);
    routes.update();
    const long = 'x'.repeat(1_000_000);
    const objects = Array.from({ length: 1000 }, (_, index) => ({ apiVersion: `${index}${index === 0 ? long : ''}` }));

    const request = { uid: long, desiredAPIVersion: long, objects };
    const review = { kind: 'ConversionReview', request };
    expect((await routes.routeOf('/crontabs.example.com')?.answer(call(review)))?.status).toBe(200);

    expect(logged().map(({ msg }) => msg)).toContain('conversion failed');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(50_000);
  });

  it('is that of hooklet without the flag', async () => {
    const { route, logged } = allowing(false);

    expect((await route?.answer(call(reviewOf('a.example.com'))))?.body).toContain('"allowed":true');
    expect(logged()).toEqual([]);
  });
});

function allowing(logCompat: boolean) {
  const allowed = { response: '{"allowed":true}', fails: false, logged: [] };
  const { options, logged } = rig('a.sh', admissionBinding('a.example.com'), allowed, logCompat);
  const routes = new AdmissionRoutes(options);
  routes.update();
  return { route: routes.routeOf('/hooks/a-example-com'), logged };
}
