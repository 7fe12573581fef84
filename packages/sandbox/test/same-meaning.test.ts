import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../src/json.ts';
import { meansSame } from '../src/same-meaning.ts';

const CLAIM = 'core/v1.PersistentVolumeClaim';
const POD = 'core/v1.PodSpec';
const SELECTOR = 'meta/v1.LabelSelector';
const sized = (storage: string): JsonObject => ({ spec: { resources: { requests: { storage } } } });
const container = (fields: JsonObject): JsonObject => ({ containers: [{ name: 'c', ...fields }] });

describe('two values of a message mean the same', () => {
  it.each<[message: string, one: JsonObject, other: JsonObject]>([
    [SELECTOR, { matchLabels: { a: 'b' } }, { matchLabels: { a: 'b' }, matchExpressions: [] }],
    [CLAIM, sized('1Gi'), sized('1024Mi')],
    [CLAIM, {}, { metadata: { labels: {}, creationTimestamp: null }, spec: { accessModes: [] }, status: {} }],
    // The type of an inner object says nothing new.
    [CLAIM, {}, { kind: 'PersistentVolumeClaim', apiVersion: 'v1' }],
    [POD, {}, { volumes: [], tolerations: null, nodeSelector: {}, hostNetwork: false, nodeName: '' }],
    [POD, container({}), container({ env: [], resources: {}, stdin: false })],
    [POD, container({ env: [{ name: 'A' }] }), container({ env: [{ name: 'A', value: '' }] })],
    [
      POD,
      container({ resources: { limits: { cpu: 1, 'example.com/a': '1k' } } }),
      container({ resources: { limits: { cpu: '1000m', 'example.com/a': '1000' } } }),
    ],
    [
      POD,
      { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }] },
      { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1024Mi', medium: '' } }] },
    ],
    [POD, { overhead: { cpu: '1' } }, { overhead: { cpu: '1000m' } }],
  ])('%s %j %j', (message, one, other) => {
    expect(meansSame(message, one, other)).toBe(true);
    expect(meansSame(message, other, one)).toBe(true);
  });
});

describe('two values of a message differ', () => {
  it.each<[message: string, one: JsonObject, other: JsonObject]>([
    [SELECTOR, {}, { matchLabels: { a: '' } }],
    [SELECTOR, { matchLabels: { a: '' } }, { matchLabels: { b: '' } }],
    [CLAIM, sized('1Gi'), sized('1G')],
    [CLAIM, {}, sized('0')],
    [POD, {}, { tolerations: [{}] }],
    [POD, {}, { nodeSelector: { 'a.b/c': '1' } }],
    // Annotations and labels that look like quantities are none.
    [POD, { nodeSelector: { cpu: '1' } }, { nodeSelector: { cpu: '1000m' } }],
    // What is behind a pointer is there even when it is empty.
    [POD, { volumes: [{ name: 'v' }] }, { volumes: [{ name: 'v', emptyDir: {} }] }],
    [POD, {}, { activeDeadlineSeconds: 0 }],
    [POD, {}, { enableServiceLinks: false }],
    [POD, container({ command: ['a', 'b'] }), container({ command: ['b', 'a'] })],
  ])('%s %j %j', (message, one, other) => {
    expect(meansSame(message, one, other)).toBe(false);
    expect(meansSame(message, other, one)).toBe(false);
  });
});
