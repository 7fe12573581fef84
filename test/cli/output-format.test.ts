import { expect, it } from 'vitest';
import { outputFormat } from '../../src/cli/options/output-format.ts';
import { UsageError } from '../../src/errors.ts';

it('the output is text unless another format is asked for', () => {
  expect([undefined, 'text', 'json', 'yaml'].map(outputFormat)).toEqual(['text', 'text', 'json', 'yaml']);
  expect(() => outputFormat('xml')).toThrow(UsageError);
});
