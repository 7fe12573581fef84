import { readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { runHook } from '../../src/testing/index.ts';
import { examplesDir } from '../support/example-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

const example = join(examplesDir, '110-nightly-dump');
const PATH = [join(example, 'scenarios', 'programs'), process.env['PATH']].join(delimiter);
const FOREIGN = ['.partial-mine', 'manual-1.dump', 'my 20260101T030000Z.dump', 'notes.dump'];

it.each(['hooks/nightly-dump.sh', 'typescript/nightly-dump.ts'])('%s removes no file but its own', async (path) => {
  using folder = temporaryFolder();
  const own = ['.partial-20260226T030000Z', '20260226T030000Z.dump', '20260227T030000Z.dump'];
  for (const name of [...FOREIGN, ...own]) writeFileSync(join(folder.path, name), 'whole');
  const { outcome } = await runHook(join(example, path), {
    contexts: [{ binding: 'dump', type: 'Schedule', scheduledAt: '2026-03-01T03:00:00.000Z' }],
    env: { PATH, DUMP_DIR: folder.path, DUMP_KEEP: '1' },
  });

  expect(outcome).toBe('done');
  expect(readdirSync(folder.path).toSorted()).toEqual([...FOREIGN, '20260301T030000Z.dump'].toSorted());
});
