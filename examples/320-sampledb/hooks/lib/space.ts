import type { ConditionToSet } from 'hooklet';
import { bytesOf } from './quantity.ts';

/** The sizes of a claim: what it asks for, and what its volume has; no capacity where there is no volume yet. */
export interface Sizes {
  readonly request: string;
  readonly capacity: string | null;
}

/** What a claim can ask for; with a reason and a message where that is not the wanted size. */
export interface Space {
  readonly request: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Returns the sizes of a claim. A bound claim whose status has no capacity counts as large as its request. */
export function sizesOf(claim: object): Sizes {
  const { spec, status }: { readonly spec?: unknown; readonly status?: unknown } = claim;
  const [asked, { phase, capacity }] = [Object(Object(spec)['resources'])['requests'], Object(status)];
  const request = storageIn(asked) ?? '0';
  return { request, capacity: phase === 'Bound' ? (storageIn(capacity) ?? request) : null };
}

/** The size below which a spec cannot go: what the volume has, but not more than was asked for. */
export function heldSize(sizes: Sizes | undefined): string | undefined {
  if (sizes === undefined || sizes.capacity === null) return undefined;
  return compare(sizes.capacity, sizes.request) < 0 ? sizes.capacity : sizes.request;
}

/** What a claim is asked for. Kubernetes changes no claim without a volume, and shrinks none to what its volume has. */
export function spaceOf(name: string, wanted: string, sizes: Sizes | undefined): Space {
  if (sizes === undefined) return { request: wanted };
  const { request, capacity } = sizes;
  const change = compare(wanted, request);
  if (change === 0) return { request: wanted };
  if (capacity === null) {
    const message = `the claim ${name} asks for ${request}, and has no volume yet. While kubectl get persistentvolumeclaim ${name} says Pending, it holds nothing: kubectl delete persistentvolumeclaim ${name}, and it is made anew with ${wanted}`;
    return { request, reason: 'VolumeMissing', message };
  }
  if (change > 0 || compare(wanted, capacity) > 0) return { request: wanted };
  const message = `the volume ${name} has ${capacity} and was asked to grow to ${request}, which Kubernetes does not take back: set more than ${capacity}, or leave it`;
  return { request, reason: 'GrowthStands', message };
}

/** What a claim still asks for when another size was refused. */
export function refusedSpace(name: string, size: string, { request }: Sizes): Space {
  const message = `the volume ${name} does not change from ${request} to ${size}: to grow, its StorageClass must allow expansion; to take a growth back, Kubernetes must be 1.34 or later; or set spec.backup.size back`;
  return { request, reason: 'GrowthRefused', message };
}

/** A condition that says whether a claim asks for the wanted size. */
export function spaceCondition(type: string, wanted: string, { reason, message = '' }: Space): ConditionToSet {
  if (reason === undefined) return { type, status: 'True', reason: 'AsWanted', message: wanted };
  return { type, status: 'False', reason, message };
}

/** Whether one size is less than, equal to or more than another: below, equal to or above 0. */
export function compare(one: string, other: string): number {
  return (bytesOf(one) ?? 0) - (bytesOf(other) ?? 0);
}

function storageIn(sizes: unknown): string | undefined {
  const size: unknown = Object(sizes)['storage'];
  return typeof size === 'string' ? size : undefined;
}
