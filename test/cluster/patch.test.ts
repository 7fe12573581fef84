import { beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { type Answer, type Client, connect, eventually, freshName } from '@hooklet/sandbox/conformance';
import {
  applyPatch,
  compileCustomResourceSchema,
  type PatchKind,
  PatchRefused,
  trackUpdate,
} from '@hooklet/sandbox/testing';
import type { Scenario, Step } from './patch-scenarios.ts';
import { CUSTOM, CUSTOM_SCHEMA, SCENARIOS } from './patch-scenarios.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
const client = connect({ ...plane, token: plane.tokenOf('admin') });
const schema = compileCustomResourceSchema(CUSTOM_SCHEMA);

beforeAll(async () => {
  await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `customs.${CUSTOM.group}` },
    spec: {
      group: CUSTOM.group,
      scope: 'Namespaced',
      names: { kind: 'Custom', plural: 'customs' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: CUSTOM_SCHEMA },
          subresources: { status: {} },
        },
      ],
    },
  });
  await eventually(
    () => client.get(`/apis/${CUSTOM.group}/v1/customs`),
    ({ status }) => status === 200,
  );
});

describe('the sandbox’s patches do what the server’s do', () => {
  it.each(SCENARIOS)('$name', async ({ kind, steps }) => {
    const name = freshName('patched');
    const path = pathOf(kind, name);
    for (const [index, step] of steps.entries()) {
      const before = await read(client, path);
      const answer = await perform({ path, kind, step, before });
      if (step.type === 'given') continue;
      const expected = outcomeOf(answer);

      const actual = predict({ kind: patchKindOf(kind), name, step, before, stored: answer });

      expect({ index, step, ...actual }).toEqual({ index, step, ...expected });
    }
  });
});

function pathOf({ group, version, kind }: Scenario['kind'], name: string): string {
  const root = group === '' ? '/api/v1' : `/apis/${group}/${version}`;
  return `${root}/namespaces/default/${kind.toLowerCase()}s/${name}`;
}

function patchKindOf(kind: Scenario['kind']): PatchKind {
  return kind === CUSTOM ? { ...kind, schema: CUSTOM_SCHEMA, hasStatus: true } : kind;
}

async function read(api: Client, path: string): Promise<JsonObject | undefined> {
  const { status, body } = await api.get(path);
  return status === 200 ? parsed(body) : undefined;
}

function parsed(value: unknown): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(value));
  return isJsonObject(copy) ? copy : {};
}

interface Performed {
  readonly path: string;
  readonly kind: Scenario['kind'];
  readonly step: Step;
  readonly before: JsonObject | undefined;
}

async function perform({ path, kind, step, before }: Performed): Promise<Answer> {
  const query = `fieldManager=${step.by ?? 'someone'}`;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (step.type === 'create' || step.type === 'given') {
    const metadata = { ...Object(step.fields['metadata']), name };
    const body = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...step.fields, metadata };
    return client.post(`${path.slice(0, path.lastIndexOf('/'))}?${query}`, body);
  }
  if (step.type === 'put') return client.put(`${path}?${query}`, step.change(before ?? {}));
  const target = step.subresource === undefined ? path : `${path}/${step.subresource}`;
  const force = step.force === true ? '&force=true' : '';
  return client.patch(`${target}?${query}${force}`, step.type, patchOf(kind, step, name));
}

function apiVersionOf({ group, version }: Scenario['kind']): string {
  return group === '' ? version : `${group}/${version}`;
}

function patchOf(kind: Scenario['kind'], step: PatchStep, name: string): unknown {
  if (step.type !== 'apply' || !isJsonObject(step.patch)) return step.patch;
  const metadata = { ...Object(step.patch['metadata']), name };
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, ...step.patch, metadata };
}

interface Prediction {
  readonly name: string;
  readonly kind: PatchKind;
  readonly step: Exclude<Step, { type: 'given' }>;
  readonly before: JsonObject | undefined;
  /** The result of the server, for steps of which the sandbox predicts only the field managers. */
  readonly stored: Answer;
}

type PatchStep = Extract<Step, { patch: unknown }>;

type Outcome = Readonly<Record<string, unknown>>;

function predict({ kind, name, step, before, stored }: Prediction): Outcome {
  const after = parsed(stored.body);
  const updater = { name: step.by ?? 'someone', operation: 'Update', time: new Date().toISOString(), kind } as const;
  if (step.type === 'create') {
    return outcomeOf({ status: 200, body: trackUpdate(undefined, withManagersOf(after, undefined), updater) });
  }
  if (step.type !== 'put') return predictPatch({ kind, name, step, before, after, updater });
  const sent = parsed(step.change(before ?? {}));
  return outcomeOf({ status: 200, body: trackUpdate(before, withManagersOf(after, sent), updater) });
}

function predictPatch({ after, ...asked }: Patched & { readonly after: JsonObject }): Outcome {
  const { before, step, updater } = asked;
  try {
    const patched = patchAsTheSandbox(asked);
    if (step.type === 'apply') return outcomeOf({ status: 200, body: patched });
    const through = { ...updater, ...(step.subresource !== undefined && { subresource: step.subresource }) };
    const tracked = trackUpdate(before, withManagersOf(after, before), through);
    return outcomeOf({ status: 200, body: withManagersOf(patched, tracked) });
  } catch (error) {
    if (!(error instanceof PatchRefused)) throw error;
    const { code, reason, message, details } = error;
    return { code, reason, message, details };
  }
}

interface Patched {
  readonly name: string;
  readonly kind: PatchKind;
  readonly step: PatchStep;
  readonly before: JsonObject | undefined;
  readonly updater: Parameters<typeof trackUpdate>[2];
}

function patchAsTheSandbox({ kind, name, step, before, updater }: Patched): JsonObject {
  const patched = applyPatch({
    type: step.type,
    current: before,
    patch: patchOf(kind, step, name),
    fieldManager: updater.name,
    force: step.force ?? false,
    kind,
    now: updater.time,
    ...(step.subresource !== undefined && { subresource: step.subresource }),
  });
  const defaulted = kind.group === CUSTOM.group ? schema.fillDefaults(patched) : patched;
  return keepOutOfReach(defaulted, before, step.subresource);
}

/** The server restores what a request to this endpoint cannot change. */
function keepOutOfReach(
  object: JsonObject,
  before: JsonObject | undefined,
  subresource: string | undefined,
): JsonObject {
  const kept = subresource === 'status' ? 'spec' : 'status';
  const { [kept]: _changed, ...rest } = object;
  const value = before?.[kept];
  return value === undefined ? rest : { ...rest, [kept]: value };
}

function withManagersOf(object: JsonObject, other: JsonObject | undefined): JsonObject {
  const { managedFields: _own, ...metadata } = Object(object['metadata']);
  const managedFields = Object(other?.['metadata']).managedFields;
  return parsed({ ...object, metadata: { ...metadata, managedFields } });
}

/** An answer without the parts that differ from run to run. */
function outcomeOf({ status, body }: { readonly status: number; readonly body: unknown }): Outcome {
  const object = parsed(body);
  if (status >= 300) {
    const { code, reason = '', message, details } = object;
    return { code, reason, message, details };
  }
  const {
    uid: _u,
    resourceVersion: _r,
    creationTimestamp: _c,
    generation: _g,
    namespace: _n,
    ...metadata
  } = Object(object['metadata']);
  const entries: readonly JsonObject[] = metadata.managedFields ?? [];
  const managers = entries.map(({ time, ...entry }) => ({ ...entry, timed: time !== undefined }));
  const sorted = managers.toSorted((left, right) => (identityOf(left) < identityOf(right) ? -1 : 1));
  return { ...object, metadata: { ...metadata, managedFields: sorted } };
}

function identityOf({ operation, manager, subresource = '' }: JsonObject): string {
  return JSON.stringify([operation, manager, subresource]);
}
