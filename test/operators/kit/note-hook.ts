import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { JsonObject } from '@hooklet/sandbox';
import { shellHook, writeHooks } from '../../support/world-hooks.ts';

/** A small operator, with which the kit is tried: a ConfigMap for each Note. */
export const NOTE: JsonObject = {
  apiVersion: 'kit.example.com/v1',
  kind: 'Note',
  metadata: { name: 'one', namespace: 'default' },
  spec: { text: 'hello' },
};

const CONFIG = {
  configVersion: 'v1',
  reconcile: [
    {
      name: 'notes',
      apiVersion: 'kit.example.com/v1',
      kind: 'Note',
      owns: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
      resyncPeriod: '1h',
    },
  ],
};

/** The answer of a hook that does what each field says, as a jq program. */
export const RIGHT = `{children: [.object | {apiVersion: "v1", kind: "ConfigMap",
  metadata: {name: .metadata.name, labels: (.spec.tags // {})},
  data: {text: .spec.text, copies: (.spec.copies // 1 | tostring), bold: (.spec.bold // false | tostring),
    lines: ([.spec.lines[]?.words] | join(" "))}}]}`;

const text = { type: 'string' };

const SCHEMA = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['text'],
      properties: {
        text,
        copies: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
        bold: { type: 'boolean', default: false },
        lines: { type: 'array', items: { type: 'object', properties: { words: text } } },
        tags: { type: 'object', additionalProperties: text },
      },
    },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

export const DEFINITION: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'notes.kit.example.com' },
  spec: {
    group: 'kit.example.com',
    scope: 'Namespaced',
    names: { plural: 'notes', singular: 'note', kind: 'Note' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: SCHEMA },
        subresources: { status: {} },
      },
    ],
  },
};

/** Values of the fields whose schema does not say what a value is. */
export const VALUES = {
  'spec.text': ['a', 'b'],
  'spec.lines[].words': ['one', 'two'],
  'spec.tags{}': ['x', 'y'],
} as const;

/** Where such an operator is. */
export interface NoteFiles {
  readonly hooks: string;
  readonly definition: string;
}

/** Writes one whose hook answers with this jq program, or whose run is this script. */
export function writeNoteHook(
  folder: string,
  { answer = RIGHT, script }: { answer?: string; script?: string },
): NoteFiles {
  const [hooks, definition] = [join(folder, 'hooks'), join(folder, 'definition.yaml')];
  mkdirSync(hooks, { recursive: true });
  const body = script ?? `jq -c '.[0] | ${answer}' "$BINDING_CONTEXT_PATH" > "$RESULT_PATH"`;
  writeHooks(hooks, { 'notes.sh': shellHook(CONFIG, body) });
  writeFileSync(definition, stringify(DEFINITION));
  return { hooks, definition };
}
