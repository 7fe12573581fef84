import { describe, expect, it } from 'vitest';
import { RunOutput } from '../../src/runner/run-output.ts';
import type { OutputLine } from '../../src/runner/spawner-protocol.ts';

function openOutput(options: { limitBytes?: number; captureBytes?: number; isImmediate?: boolean } = {}) {
  const batches: (readonly OutputLine[])[] = [];
  const output = new RunOutput({
    limitBytes: 1024 * 1024,
    ...options,
    onLines: (lines) => batches.push([...lines]),
  });
  return { output, batches, lines: () => batches.flat().map(({ line }) => line) };
}

describe('RunOutput', () => {
  it('gives the lines of both streams in the order they came, in batches', () => {
    const { output, batches } = openOutput();

    output.push('stdout', Buffer.from('a\nb\n'));
    output.push('stderr', Buffer.from('c\n'));
    output.end();

    const expected = [
      { stream: 'stdout', line: 'a' },
      { stream: 'stdout', line: 'b' },
      { stream: 'stderr', line: 'c' },
    ];
    expect(batches).toEqual([expected]);
  });

  it('reports how much was dropped after the limit, once', () => {
    const { output, lines } = openOutput({ limitBytes: 250 });

    output.push('stdout', Buffer.from('first\nsecond\nthird\n'));
    output.push('stdout', Buffer.from('x'.repeat(1000)));
    output.end();

    expect(lines()).toEqual([
      'first',
      'second',
      'hooklet: the output limit of a run was reached, 1006 more bytes were dropped',
    ]);
  });

  it('counts each line as more than its bytes, so that a million empty ones are no small output', () => {
    const { output, lines } = openOutput();

    output.push('stdout', Buffer.from('y\n'.repeat(100_000)));
    output.end();

    expect(lines().length).toBeLessThan(11_000);
  });

  it('gives lines again after a refill', () => {
    const { output, lines } = openOutput({ limitBytes: 101 });

    output.push('stdout', Buffer.from('a\nb\n'));
    output.refill();
    output.push('stdout', Buffer.from('c\n'));
    output.end();

    expect(lines()).toEqual(['a', expect.stringContaining('2 more bytes were dropped'), 'c']);
  });

  it('hands a line over at once when asked to', () => {
    const { output, lines } = openOutput({ isImmediate: true });

    output.push('stdout', Buffer.from('now\n'));

    expect(lines()).toEqual(['now']);
  });

  it('keeps the end of stderr, from the beginning of a line', () => {
    const { output } = openOutput();

    output.push('stderr', Buffer.from(`${'x'.repeat(20_000)}\n`));
    output.push('stderr', Buffer.from('the end\n'));

    expect(output.end().stderr).toBe('…\nthe end\n');
  });

  it('keeps a bounded end of one endless line of stderr', () => {
    const { output } = openOutput();

    for (let i = 0; i < 10; i++) output.push('stderr', Buffer.from('x'.repeat(10_000)));

    expect(output.end().stderr).toBe(`…\n${'x'.repeat(16 * 1024)}`);
  });

  it('keeps stdout whole when it captures, and gives no lines', () => {
    const { output, lines } = openOutput({ captureBytes: 100 });

    output.push('stdout', Buffer.from('{"a":\n1}'));

    expect(output.end().stdout).toBe('{"a":\n1}');
    expect(output.isOverCapture).toBe(false);
    expect(lines()).toEqual([]);
  });

  it('captures no more than its limit, and reports that', () => {
    const { output } = openOutput({ captureBytes: 3 });

    output.push('stdout', Buffer.from('abcdef'));

    expect(output.isOverCapture).toBe(true);
    expect(output.end().stdout).toBe('abc');
  });
});
