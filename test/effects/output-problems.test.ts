import { expect, it } from 'vitest';
import { outputProblems, shownWarnings } from '../../src/effects/output-problems.ts';

it('problems are told in the order of the documents, those of one document in the order in which they were found', () => {
  const problems = outputProblems([{ number: 2, line: 5, message: 'cannot be read as JSON: x' }]);
  problems.add({ number: 3, line: 6 }, [{ field: '', message: 'received 5' }]);
  problems.add({ number: 1, line: 1 }, [
    { field: 'name', message: 'is missing' },
    { field: 'kind', message: 'is missing' },
  ]);

  expect(problems.count).toBe(4);
  expect(problems.describe('METRICS_PATH').split('\n')).toEqual([
    'METRICS_PATH has 4 problem(s), nothing of this run is applied:',
    '  document 1, line 1: name: is missing',
    '  document 1, line 1: kind: is missing',
    '  document 2, line 5 cannot be read as JSON: x',
    '  document 3, line 6: received 5',
  ]);
});

it('a file in which everything is wrong does not flood the log', () => {
  const problems = outputProblems([]);
  for (let number = 1; number <= 1000; number += 1)
    problems.add({ number, line: number }, [{ field: '', message: 'x' }]);

  const lines = problems.describe('METRICS_PATH').split('\n');

  expect(lines).toHaveLength(102);
  expect(lines.at(-1)).toBe('  and 900 more');
});

it('of warnings the first 100 are told', () => {
  expect(shownWarnings(Array(100).fill('w'))).toHaveLength(100);
  expect(shownWarnings(Array(250).fill('w')).slice(99)).toEqual(['w', 'and 150 more']);
});

it('the first problem is told without what the hook wrote', () => {
  const problems = outputProblems([{ number: 3, line: 5, message: 'cannot be read as JSON: hush' }]);
  expect(problems.brief('METRICS_PATH')).toBe('METRICS_PATH document 3, line 5 cannot be read');
  problems.add({ number: 2, line: 2 }, [{ field: 'kind', message: 'is missing, expected a kind' }]);
  expect(problems.brief('METRICS_PATH')).toMatch(/document 2, line 2: kind is missing, expected a kind, and 1 more/);
  problems.add({ number: 1, line: 1 }, [{ field: 'name', message: 'received "hush", expected a name' }]);
  expect(problems.brief('METRICS_PATH')).toMatch(/document 1, line 1: name is not what is expected, and 2 more/);
});
