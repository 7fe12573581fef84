import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { scenarioSchema } from '../../src/scenario/file/scenario-schema.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const validate = new Ajv({ strict: false }).compile(scenarioSchema());

function values(text: string): readonly unknown[] {
  const documents = parseAllDocuments(text, { merge: true });
  return Array.isArray(documents) ? documents.map((document): unknown => document.toJS()) : [];
}

describe('the schema of scenario files', () => {
  it('is the file that comes with hooklet', () => {
    const file: unknown = JSON.parse(readFileSync(join(root, 'schemas/scenario.schema.json'), 'utf8'));

    expect(scenarioSchema()).toEqual(file);
  });

  it('takes the stories of the examples and solutions, and what docs/testing.md shows', () => {
    const files = globSync('{examples,solutions}/*/scenarios/*.yaml', { cwd: root }).map((file) =>
      readFileSync(join(root, file), 'utf8'),
    );
    const page = readFileSync(join(root, 'docs/testing.md'), 'utf8');
    const shown = [...page.matchAll(/^```yaml\n(.*?)^```/gms)]
      .map(([, text = '']) => text)
      .filter((text) => /^name:/m.test(text));
    const stories = [...files, ...shown].flatMap(values);

    expect(stories.length).toBeGreaterThan(5);
    for (const story of stories) expect([story, validate(story), validate.errors]).toEqual([story, true, null]);
  });

  it.each([
    'given: {clok: 2026-01-01T00:00:00Z}',
    'given: {clock: yesterday}',
    'given: {objects: [{kind: Secret, metadata: {name: a}}]}',
    'steps: [{aply: {}}]',
    'steps: [{}]',
    'steps: [{tick: 24}]',
    'steps: [{tick: 7d}]',
    'steps: [{kill: operatr}]',
    'steps: [{fault: {type: statu}}]',
    'steps: [{fault: {type: status}}]',
    'steps: [{expect: {runs: -1}}]',
    'steps: [{expect: {runs: [{exit: 1}]}}]',
    'steps: [{expect: {objects: [{kind: Secret}]}}]',
    'given: {expect: {runs: [{hook: a, exti: 1}]}}',
    'perturb: [twise]',
  ])('refuses %s, as the reader does', (text) => {
    expect(values(text).map((value) => validate(value))).toEqual([false]);
  });
});
