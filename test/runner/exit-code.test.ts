import { describe, expect, it } from 'vitest';
import { outcomeOfExitCode } from '../../src/runner/exit-code.ts';

describe('an exit code', () => {
  it.each([
    [0, 'done'],
    [1, 'failed'],
    [75, 'later'],
    [78, 'permanent'],
    [126, 'failed'],
    [127, 'failed'],
    [255, 'failed'],
  ])('%d means %s', (code, outcome) => {
    expect(outcomeOfExitCode(code)).toBe(outcome);
  });

  it.each([
    [0, 'done'],
    [3, 'done'],
    [11, 'later'],
    [12, 'permanent'],
    [75, 'failed'],
    [78, 'failed'],
    [1, 'failed'],
  ])('%d means %s where the hook has lists of its own', (code, outcome) => {
    const codes = { success: [3], later: [11], permanent: [10, 12] };

    expect(outcomeOfExitCode(code, codes)).toBe(outcome);
    expect(outcomeOfExitCode(code, codes, true)).toBe(outcome);
  });

  it('has its default where the list of its outcome is absent, unless another list has it', () => {
    expect(outcomeOfExitCode(75, { permanent: [3] })).toBe('later');
    expect(outcomeOfExitCode(75, { later: [] })).toBe('failed');
    expect(outcomeOfExitCode(78, { later: [78] })).toBe('later');
  });

  it.each([75, 78])('%d is a failure as any other where exit codes are plain', (code) => {
    expect(outcomeOfExitCode(code, undefined, true)).toBe('failed');
    expect(outcomeOfExitCode(code, { success: [3] }, true)).toBe('failed');
  });
});
