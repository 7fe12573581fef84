import { KubeError } from '../errors.ts';
import type { ResourceKind } from '../kube/kind.ts';
import { withoutMissingRight } from '../kube/missing-right.ts';
import { policyRuleText } from '../kube/policy-rule.ts';
import type { Condition } from '../hook/result.ts';
import { received } from './field-reader.ts';
import type { AddedField, WantedStatus } from './status-plan.ts';
import { isObject } from '../lib/json-object.ts';

/** Limit of the conditions that are written to one object, with those of others where they are sent too. */
export const MAX_CONDITIONS = 100;
/** Limit of a status as JSON, in bytes. */
export const MAX_STATUS_BYTES = 256 * 1024;

/** Why a status is not written; the message says what to do. Another attempt would not help. */
export class StatusRefusal extends Error {
  override readonly name = 'StatusRefusal';
}

/** Throws for what no object can get as its status. */
export function checkWanted({ conditions, status }: WantedStatus): void {
  if (status !== undefined && !isObject(status)) {
    throw new StatusRefusal(`status: received ${received(status)}, expected an object`);
  }
  if (status !== undefined && 'conditions' in status) {
    throw new StatusRefusal('status.conditions: write `conditions` beside `status` instead');
  }
  checkCount(conditions.length);
  const twice = conditions.find(({ type }, index) => typesOf(conditions).indexOf(type) !== index);
  if (twice !== undefined) throw new StatusRefusal(`conditions: ${twice.type} is given twice, expected each type once`);
}

/** Throws for a status that is too large. */
export function checkSize(status: object, conditions: number): void {
  checkCount(conditions);
  const bytes = Buffer.byteLength(JSON.stringify(status));
  if (bytes <= MAX_STATUS_BYTES) return;
  throw new StatusRefusal(
    `status: has ${bytes} bytes as JSON, expected at most ${MAX_STATUS_BYTES}: write less into it`,
  );
}

/** The refusal for a kind whose objects have no status of their own. */
export function withoutSubresource({ group, version, plural, kind }: ResourceKind): StatusRefusal {
  if (!group.includes('.')) return new StatusRefusal(`the kind ${kind} has no status that can be written`);
  const place = `the version ${version} of the CustomResourceDefinition ${plural}.${group}`;
  return new StatusRefusal(
    `the kind ${kind} has no status subresource, so its status cannot be written: add \`subresources: {status: {}}\` to ${place}`,
  );
}

const ADDED: readonly (readonly [AddedField, RegExp])[] = [
  ['observedGeneration', /\.status\.observedGeneration: field not declared in schema/],
  ['conditions.observedGeneration', /\.status\.conditions\S*\.observedGeneration: field not declared in schema/],
  ['conditions.lastTransitionTime', /\.status\.conditions\S*\.lastTransitionTime: field not declared in schema/],
];

/** Which field that the runner added is refused, because the schema lacks it. */
export function addedFieldIn(error: unknown): AddedField | undefined {
  if (!(error instanceof KubeError)) return undefined;
  return ADDED.find(([, pattern]) => pattern.test(error.message))?.[0];
}

/** Whether the server cannot read what was sent as an object of the kind, which it says with the status 500. */
export function isMistyped(error: unknown): boolean {
  return error instanceof KubeError && /failed to create typed patch object/.test(error.message);
}

/** Whether the server refused what was sent as an object of the kind: another status may be taken. */
export function isRefusedBySchema(error: unknown): boolean {
  const cause = error instanceof StatusRefusal ? error.cause : error;
  return isMistyped(cause) || (cause instanceof KubeError && cause.status === 422);
}

/** A refusal of the server as a text for the log: what is missing, where that is known. */
export function explained(error: unknown, { group, plural }: Pick<ResourceKind, 'group' | 'plural'>): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof KubeError) || error.status !== 403) return error.message;
  const rules = [
    policyRuleText({ apiGroup: group, resource: `${plural}/status`, verbs: ['patch'] }),
    policyRuleText({ apiGroup: group, resource: plural, verbs: ['get'] }),
  ];
  return `${withoutMissingRight(error.message)}; a Role must allow ${rules.join(' and ')}`;
}

function checkCount(count: number): void {
  if (count <= MAX_CONDITIONS) return;
  throw new StatusRefusal(`conditions: received ${count}, expected at most ${MAX_CONDITIONS}: write fewer of them`);
}

function typesOf(conditions: readonly Condition[]): readonly string[] {
  return conditions.map(({ type }) => type);
}
