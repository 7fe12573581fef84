import { describe } from 'vitest';
import { cellsOf, limitOf } from '../support/matrix/cell.ts';
import { describeMatrix } from '../support/matrix/laws.ts';
import { startSandboxWorld } from '../support/matrix/sandbox-world.ts';

/** The slow ones take longer than a minute; they run on a real API server. */
const isQuick = (limitMs: number): boolean => limitMs <= 5000;

describe('a connection that is struck at one of its stages', () => {
  const cells = cellsOf(0).filter((cell) => cell.way === 'direct' && isQuick(limitOf(cell)));
  describeMatrix({ title: 'sandbox, one connection struck', cells, world: startSandboxWorld });
});
