import { expect, it } from 'vitest';
import { outputText } from '../../src/scenario/live/output-text.ts';

it('a line is as the hook printed it', () => {
  expect(outputText({ type: 'line', line: { stream: 'stdout', line: 'one tick' } })).toBe('one tick');
});

it('an entry of the log is its message with its fields', () => {
  const fields = { size: 3, site: { name: 'a' }, why: 'too small' };
  const entry = { level: 'info', message: 'resized', fields } as const;

  expect(outputText({ type: 'entry', entry })).toBe('resized size=3 site={"name":"a"} why="too small"');
});
