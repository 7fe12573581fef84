import { isLeaseName, isNamespaceName, LEASE_NAME_TEXT, NAMESPACE_TEXT } from '../lib/lease-name.ts';
import { isObject } from '../lib/json-object.ts';
import type { HookLock, OnStartupBinding } from './binding.ts';
import { readDuration } from './config-duration.ts';
import { present, readFields, readInteger, readText, reportValue, type Read } from './config-reader.ts';

function readNameThat(isName: (name: string) => boolean, expected: string): Read<string> {
  return (value, place) => {
    const name = readText(value, place);
    return name === undefined || isName(name) ? name : reportValue(place, value, expected);
  };
}

const readLeaseName = readNameThat(isLeaseName, LEASE_NAME_TEXT);

const readLockFields = readFields(
  { name: readLeaseName, namespace: readNameThat(isNamespaceName, NAMESPACE_TEXT), wait: readDuration },
  { required: { name: LEASE_NAME_TEXT } },
);

/** A lock: the name of a Lease, or a mapping with it. */
export const readLock: Read<HookLock> = (value, place) => {
  if (typeof value === 'string') {
    const only = readLeaseName(value, place);
    return only === undefined ? undefined : { name: only };
  }
  const { name, namespace, wait } = readLockFields(value, place);
  return name === undefined ? undefined : { name, ...present({ namespace, waitMs: wait }) };
};

const readStartFields = readFields({ order: readInteger, lock: readLock }, { required: { order: 'a whole number' } });

/** `onStartup` as written: a number, or a mapping with it and a lock. */
export const readOnStartup: Read<Omit<OnStartupBinding, 'type'>> = (value, place) => {
  if (!isObject(value)) {
    const only = readInteger(value, place);
    return only === undefined ? undefined : { order: only };
  }
  const { order, lock } = readStartFields(value, place);
  return order === undefined ? undefined : { order, ...present({ lock }) };
};
