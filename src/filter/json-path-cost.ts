/** What of a JSONPath decides how long it may take. */
export interface PathShape {
  /** How often it descends into everything: each one visits the rest of the object anew. */
  readonly descents: number;
  /** Whether a step goes into more than one child. */
  readonly isWide: boolean;
  /** How many ways its unions lead. */
  readonly ways: number;
}

const MAX_WAYS = 64;
const MAX_PLACES = 20_000;
const MAX_DEPTH = 100;
const CHARACTERS_PER_PLACE = 64;

/** Reads the shape of a path in the form that `normalizeJsonPath` writes. */
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

/** Whether a path of this shape is done with the object in a few milliseconds, whatever is in it. */
export function isBriefFor({ descents, isWide, ways }: PathShape, object: unknown): boolean {
  if (descents > 1 || ways > MAX_WAYS) return false;
  if (descents === 0 && !isWide && ways === 1) return true;
  return isSmall(object, descents === 0 ? MAX_PLACES / ways : MAX_PLACES / 4 / ways);
}

/** Whether the object has at most `maxPlaces` members and is not nested deeply; counted only as far as that. */
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
