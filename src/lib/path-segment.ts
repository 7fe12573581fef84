const MAX_LENGTH = 1024;

/**
 * Returns why a name cannot be a segment of a request path, worded to follow the name; `undefined` when it can. A dot,
 * two dots, a slash or a percent sign would make a server or a proxy that normalizes paths serve another resource.
 */
export function pathSegmentProblem(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name === '.' || name === '..') return `may not be "${name}"`;
  if (name.length > MAX_LENGTH) return `may not have more than ${MAX_LENGTH} characters`;
  const found = ['/', '%'].find((character) => name.includes(character));
  return found === undefined ? undefined : `may not contain "${found}"`;
}
