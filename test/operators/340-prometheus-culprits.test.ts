import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { judge, type Judgment, type Known } from '../../examples/340-prometheus/hooks/lib/culprits.ts';
import type { Item } from '../../examples/340-prometheus/hooks/lib/items.ts';
import { checkWith, NoAnswer } from '../../examples/340-prometheus/hooks/lib/promtool.ts';
import { badMonitor, prometheus, rules, serviceMonitor } from './prometheus-objects.ts';
import { promtoolFolder } from './prometheus-programs.ts';

const promtool = promtoolFolder();
const path = process.env['PATH'];
const never = new AbortController().signal;

beforeAll(() => {
  if (promtool !== undefined) process.env['PATH'] = `${promtool.folder}${delimiter}${path}`;
});

afterAll(() => {
  process.env['PATH'] = path;
  promtool?.[Symbol.dispose]();
});

function names(items: readonly Item[]): readonly string[] {
  return items.map(({ source }) => source.metadata.name);
}

function hundred(bad: Readonly<Record<number, Item>>): readonly Item[] {
  return Array.from({ length: 100 }, (_, index) => bad[index] ?? serviceMonitor(`m${index}`));
}

function outOf({ leftOut }: Judgment): readonly (readonly [string, string])[] {
  return leftOut.map(({ item, message }) => [item.source.metadata.name, message] as const);
}

/** Nothing is known yet. */
function unknown(): Known {
  return { verdicts: new Map(), silent: new Map() };
}

/** A promtool that refuses what has one of these names, and counts what it is asked. */
function fake(bad: readonly string[]) {
  const asked: number[] = [];
  return {
    asked,
    check: async (items: readonly Item[]) => {
      asked.push(items.length);
      const found = names(items).find((name) => bad.includes(name));
      return found === undefined ? undefined : `${found} is bad`;
    },
  };
}

describe.skipIf(promtool === undefined)('promtool', { timeout: 240_000 }, () => {
  it('finds the one bad monitor among 100, and the 99 others stay (a bad monitor stops everyone, prometheus-operator#3335)', async () => {
    const items = hundred({ 63: badMonitor('bad') });

    const judgment = await judge(items, checkWith(prometheus(), never), unknown());

    expect(outOf(judgment)).toEqual([['bad', expect.stringContaining('missing closing )')]]);
    expect(judgment.kept).toHaveLength(99);
    expect(judgment.calls).toBeLessThanOrEqual(17);
  });

  it('finds a bad rule, and says where it is', async () => {
    const judgment = await judge(
      [rules('a'), rules('bad', { expr: 'sum(up' }), serviceMonitor('m')],
      checkWith(prometheus(), never),
      unknown(),
    );

    expect(outOf(judgment)).toEqual([['bad', expect.stringContaining('group "bad-0", rule 1, "A"')]]);
    expect(names(judgment.kept)).toEqual(['a', 'm']);
  });

  it('refuses a configuration whose base is bad, and blames no monitor', async () => {
    const bad = prometheus({ scrapeInterval: '5s', scrapeTimeout: '10s' });

    const judgment = await judge(hundred({}), checkWith(bad, never), unknown());

    expect(judgment).toMatchObject({ kept: [], refused: expect.stringContaining('scrape timeout greater than') });
    expect(judgment.calls).toBe(2);
  });

  it('that is not there, or says nothing, has judged nothing', async () => {
    process.env['PATH'] = '/nowhere';
    try {
      await expect(judge([rules('a')], checkWith(prometheus(), never), unknown())).rejects.toThrow(
        'promtool gave no answer',
      );
    } finally {
      process.env['PATH'] = `${promtool?.folder}${delimiter}${path}`;
    }
  });
});

it('a run that is ended while promtool is asked blames no monitor', async () => {
  using folder = slowPromtool();
  process.env['PATH'] = `${folder.path}${delimiter}${path}`;
  const known = unknown();
  const ended = new AbortController();
  try {
    const judged = judge([rules('a')], checkWith(prometheus(), ended.signal), known);
    await vi.waitFor(() => expect(existsSync(folder.asked)).toBe(true), 10_000);
    ended.abort();

    await expect(judged).rejects.toThrow(/abort/i);
    await expect(judged).rejects.not.toBeInstanceOf(NoAnswer);
    expect(known.silent.size).toBe(0);
  } finally {
    process.env['PATH'] = path;
  }
});

/** A promtool that answers nothing, and makes the file `asked` when it is called. */
function slowPromtool(): Disposable & { readonly path: string; readonly asked: string } {
  const folder = mkdtempSync(join(tmpdir(), 'slow-promtool-'));
  const asked = join(folder, 'asked');
  writeFileSync(join(folder, 'promtool'), `#!/bin/sh\ntouch ${asked}\nexec sleep 30\n`, { mode: 0o755 });
  return { path: folder, asked, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

describe('the search for culprits', () => {
  it.each([0, 1, 49, 50, 98, 99])('asks at most 17 times for one among 100, at place %i', async (place) => {
    const { check, asked } = fake(['bad']);

    const judgment = await judge(hundred({ [place]: serviceMonitor('bad') }), check, unknown());

    expect(outOf(judgment)).toEqual([['bad', 'bad is bad']]);
    expect(asked.length).toBeLessThanOrEqual(17);
    // What is used was checked as a whole, at last.
    expect(asked.at(-1)).toBe(99);
  });

  it('asks 4 times for a bad one that comes to 99 that are known', async () => {
    const { check, asked } = fake(['bad']);
    const known = unknown();
    await judge(hundred({}).slice(1), check, known);
    asked.length = 0;

    await judge(hundred({ 0: serviceMonitor('bad') }), check, known);

    expect(asked).toEqual([100, 0, 1, 99]);
  });

  it('asks once where nothing is bad, or where what is bad is known', async () => {
    const { check, asked } = fake(['bad']);
    const known = unknown();
    const items = hundred({ 7: serviceMonitor('bad') });
    await judge(items, check, known);
    asked.length = 0;

    const judgment = await judge(items, check, known);

    expect(asked).toEqual([99]);
    expect(outOf(judgment)).toEqual([['bad', 'bad is bad']]);
  });

  it('finds 20 among 100', async () => {
    const bad = Array.from({ length: 20 }, (_, index) => `m${index * 5}`);
    const { check } = fake(bad);

    const judgment = await judge(hundred({}), check, unknown());

    expect(outOf(judgment).map(([name]) => name)).toEqual(bad);
    expect(judgment.kept).toHaveLength(80);
  });

  it('leaves out the later of two that are only bad together', async () => {
    const check = async (items: readonly Item[]) =>
      ['m3', 'm60'].every((name) => names(items).includes(name)) ? 'twice the same' : undefined;

    const judgment = await judge(hundred({}), check, unknown());

    expect(outOf(judgment)).toEqual([['m60', 'together with the others: twice the same']]);
  });

  it('leaves out the one about which promtool says nothing, and does not ask about it again for a while', async () => {
    const asked: number[] = [];
    const check = async (items: readonly Item[]) => {
      asked.push(items.length);
      if (names(items).includes('endless')) throw new NoAnswer('it was ended after 20 s');
      return undefined;
    };
    const items = hundred({ 63: serviceMonitor('endless') });
    const known = unknown();

    const judgment = await judge(items, check, known);
    const calls = asked.length;
    const again = await judge(items, check, known);

    expect(judgment.kept).toHaveLength(99);
    expect(judgment.leftOut).toMatchObject([{ reason: 'NoAnswer', message: 'it was ended after 20 s' }]);
    expect(calls).toBeLessThanOrEqual(17);
    expect(again.leftOut).toEqual(judgment.leftOut);
    expect(asked.slice(calls)).toEqual([99]);
  });

  it('blames nothing where promtool says nothing about anything', async () => {
    const check = async () => {
      throw new NoAnswer('no');
    };
    const known = unknown();

    await expect(judge(hundred({}), check, known)).rejects.toThrow(NoAnswer);
    expect([known.verdicts.size, known.silent.size]).toEqual([0, 0]);
  });

  it('asks at first about those that were accepted before, however many bad ones came since', async () => {
    const before = Array.from({ length: 500 }, (_, index) => ({ ...serviceMonitor(`m${index}`), wasAccepted: true }));
    const bad = Array.from({ length: 500 }, (_, index) => serviceMonitor(`bad${index}`));
    const { check } = fake(names(bad));

    const judgment = await judge([...bad, ...before], check, unknown());

    expect(judgment.kept).toEqual(before);
    expect(judgment.calls).toBeLessThanOrEqual(203);
  });

  it('ends after 200 calls, uses what it knows to be good, and says of the rest that it was not judged', async () => {
    const all = Array.from({ length: 1000 }, (_, index) => serviceMonitor(`m${index}`));
    const { check, asked } = fake(names(all).filter((_, index) => index % 2 === 1));

    const judgment = await judge(all, check, unknown());

    expect(asked.length).toBeLessThanOrEqual(203);
    expect(judgment.kept.length).toBeGreaterThan(20);
    expect(judgment.leftOut.map(({ reason }) => reason)).toContain('NotJudged');
  });
});
