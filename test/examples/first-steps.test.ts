import { describe, expect, it } from 'vitest';
import { startExample } from '../support/example-rig.ts';
import { until } from '../support/operator-rig.ts';

describe('the first steps', { timeout: 60_000 }, () => {
  it('001-startup-shell prints a line when the operator starts', async () => {
    await using example = await startExample('001-startup-shell');

    await until(() => expect(example.printed()).toEqual(['hello, the operator has started']));
  });

  it('003-common-library shares functions between hooks, and the file with them is no hook', async () => {
    await using example = await startExample('003-common-library');

    await until(() =>
      expect(example.printed()).toEqual(['first: called for onStartup', 'second: also called for onStartup']),
    );
    const warned = example.operator.lines.filter(({ level }) => level === 'warn');
    expect(warned).toEqual([]);
  });
});
