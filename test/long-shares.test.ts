import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { LONG, SHARES } from '../vitest.long.config.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

it('each long test on real servers is in exactly one of the 10 shares', () => {
  const found = globSync('test/cluster/{operators,solutions}/**/*.test.ts', { cwd: root });

  expect(SHARES).toHaveLength(10);
  expect(LONG.filter((file) => /^test\/cluster\/(operators|solutions)\//.test(file)).toSorted()).toEqual(
    found.toSorted(),
  );
  expect(LONG).toHaveLength(new Set(LONG).size);
});

it('what is in a share is there', () => {
  expect(LONG.filter((file) => globSync(file, { cwd: root }).length === 0)).toEqual([]);
});

it('CI takes one of as many shares as there are', () => {
  const ci = readFileSync(new URL('../.ci/run', import.meta.url), 'utf8');

  expect(ci).toContain(`share=$((16#$commit % ${SHARES.length} + 1))`);
  expect(ci).toContain(`--shard=$share/${SHARES.length} `);
});
