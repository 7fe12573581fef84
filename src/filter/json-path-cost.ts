/**
 * Estimates the cost of a JSONPath. The library that evaluates paths cannot be interrupted, so before each evaluation
 * on the event loop `json-path.ts` asks here whether it is brief. What must hold: a path that is called brief takes a
 * few milliseconds at most, whatever the object; an estimate that is too high only costs a detour through the filter
 * process.
 */

/** The properties of a JSONPath that determine its cost. */
export interface PathShape {
  /** The number of `..` steps: each visits everything below again. */
  readonly descents: number;
  /** Whether a step, such as `[*]` or a slice, can lead to any number of children. */
  readonly isWide: boolean;
  /** The product of the sizes of its unions. */
  readonly ways: number;
}

const MAX_WAYS = 64;
const MAX_PLACES = 20_000;
const MAX_DEPTH = 100;
const CHARACTERS_PER_PLACE = 64;

/** Returns the shape of a path, which must be in the form that `normalizeJsonPath` returns. */
export function shapeOf(path: string): PathShape {
  let ways = 1;
  let isWide = false;
  for (const [, step = ''] of path.matchAll(/\[((?:'(?:[^'\\]|\\.)*'|[^\]'])*)\]/g)) {
    const names = step.replace(/'(?:[^'\\]|\\.)*'/g, 'n');
    ways *= names.split(',').length;
    isWide ||= /[*:]/.test(names);
  }
  const plain = path.replace(/'(?:[^'\\]|\\.)*'/g, '');
  return { ways, isWide, descents: plain.split('..').length - 1 };
}

/** Whether evaluating a path of this shape on the object takes a few milliseconds at most. */
export function isBriefFor({ descents, isWide, ways }: PathShape, object: unknown): boolean {
  if (descents > 1 || ways > MAX_WAYS) return false;
  if (descents === 0 && !isWide && ways === 1) return true;
  return isSmall(object, descents === 0 ? MAX_PLACES / ways : MAX_PLACES / 4 / ways);
}

/** Whether the object has at most `maxPlaces` members, long strings counted as several, and at most 100 levels. */
function isSmall(object: unknown, maxPlaces: number): boolean {
  let level = [object].filter(isContainer);
  let places = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false;
    const next: object[] = [];
    for (const container of level) {
      for (const value of Object.values(container)) {
        places += typeof value === 'string' ? 1 + value.length / CHARACTERS_PER_PLACE : 1;
        if (places > maxPlaces) return false;
        if (isContainer(value)) next.push(value);
      }
    }
    level = next;
  }
  return true;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
