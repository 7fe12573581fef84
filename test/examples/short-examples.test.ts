import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { examplesDir } from '../support/example-rig.ts';

const linesOf = (pattern: string): readonly number[] =>
  globSync(pattern, { cwd: examplesDir }).map(
    (file) => readFileSync(join(examplesDir, file), 'utf8').trimEnd().split('\n').length,
  );

it('the nightly dump is one hook of at most 60 lines, in bash and in TypeScript', () => {
  const hooks = ['hooks', 'typescript'].map((folder) => linesOf(`110-nightly-dump/${folder}/**/*.{sh,ts}`));

  expect(hooks.map(({ length }) => length)).toEqual([1, 1]);
  for (const lines of hooks.flat()) expect(lines).toBeLessThanOrEqual(60);
});

it('the repair of etcd members is at most 150 lines, all files of its hooks together', () => {
  const lines = linesOf('120-etcd-member-repair/hooks/**/*.ts');

  expect(lines.length).toBeGreaterThan(0);
  expect(lines.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(150);
});
