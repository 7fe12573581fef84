import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { eventually, within } from '../../src/lib/deadline.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

afterEach(() => {
  vi.useRealTimers();
});

const late = (): never => {
  throw new Error('late');
};

describe('eventually', () => {
  it('ends at its limit, to the millisecond, although nothing ever happens', async () => {
    vi.useFakeTimers();
    let outcome: unknown;
    eventually<void>({ limitMs: 5000, late }, () => undefined).catch((error: unknown) => (outcome = error));

    await vi.advanceTimersByTimeAsync(4999);
    const before = outcome;
    await vi.advanceTimersByTimeAsync(1);

    expect([before, String(outcome)]).toEqual([undefined, 'Error: late']);
  });

  it('ends with its signal, and stops listening in every case', async () => {
    vi.useFakeTimers();
    const stop = vi.fn<() => void>();
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = eventually<void>({ limitMs: 5000, late, signal }, () => stop);
    const rejected = expect(waiting).rejects.toThrow('enough');
    controller.abort(new Error('enough'));
    await rejected;
    await eventually<number>({ limitMs: 5000, late: () => 1 }, ({ resolve: settle }) => {
      settle(2);
      return stop;
    });

    expect(stop).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
    await expect(eventually<void>({ limitMs: 5000, late, signal }, () => stop)).rejects.toThrow('enough');
    expect(stop).toHaveBeenCalledTimes(2);
  });

  it('waits for as long as a timer can where the limit is longer', async () => {
    vi.useFakeTimers();
    let isOver = false;
    void eventually<void>({ limitMs: 2 ** 40, late: () => {} }, () => undefined).then(() => (isOver = true));

    await vi.advanceTimersByTimeAsync(60_000);

    expect(isOver).toBe(false);
  });
});

it('within leaves a promise that is late alone, also when it fails later', async () => {
  vi.useFakeTimers();
  const { promise, reject } = Promise.withResolvers<string>();
  const waiting = within(promise, { limitMs: 100, late: () => 'given up' });
  await vi.advanceTimersByTimeAsync(100);

  reject(new Error('later'));

  expect(await waiting).toBe('given up');
});

describe('the linter', () => {
  it.each([
    [
      'new Promise',
      'export const wait = async (): Promise<void> => new Promise<void>(() => {});',
      'promise(avoid-new)',
    ],
    [
      'Promise.withResolvers',
      'export const { promise } = Promise.withResolvers<void>();',
      'eslint(no-restricted-properties)',
    ],
    [
      'once of node:events',
      "import { once } from 'node:events';\nexport const wait = once;",
      'eslint(no-restricted-imports)',
    ],
    [
      'node:timers/promises',
      "import { setTimeout } from 'node:timers/promises';\nexport const wait = setTimeout;",
      'eslint(no-restricted-imports)',
    ],
  ])('refuses %s in every room but lib, which has the doors', { timeout: 60_000 }, (_what, code, rule) => {
    const rooms = ['cli', 'effects', 'filter', 'hook', 'kube', 'operator', 'queue', 'runner', 'server', 'sources'];

    expect(refusing(rule, [...rooms, 'lib'], code)).toEqual(rooms);
  });
});

/** The rooms of src in which the linter refuses a file with this code by this rule. */
function refusing(rule: string, rooms: readonly string[], code: string): readonly string[] {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  // None of these rules needs types, and what finds them looks for its program beside the files.
  const { options: _, ...config }: Record<string, unknown> = JSON.parse(readFileSync('.oxlintrc.json', 'utf8'));
  writeFileSync(join(folder.path, '.oxlintrc.json'), JSON.stringify(config));
  for (const room of rooms) {
    mkdirSync(join(folder.path, 'src', room), { recursive: true });
    writeFileSync(join(folder.path, 'src', room, 'probe.ts'), `${code}\n`);
  }
  const { stdout } = spawnSync(resolve('node_modules/.bin/oxlint'), ['--format', 'unix'], {
    cwd: folder.path,
    encoding: 'utf8',
  });
  const lines = stdout.split('\n').filter((line) => line.includes(rule));
  return rooms.filter((room) => lines.some((line) => line.includes(`src/${room}/`)));
}
