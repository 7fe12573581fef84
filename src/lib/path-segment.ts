const MAX_LENGTH = 1024;

/**
 * Why a name cannot be one segment of the path of a request, in words that follow the name; `undefined` when it can. A
 * dot, two dots, a slash or a percent sign would lead a server or a proxy that normalizes paths to something else.
 */
export function pathSegmentProblem(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name === '.' || name === '..') return `may not be "${name}"`;
  if (name.length > MAX_LENGTH) return `may not have more than ${MAX_LENGTH} characters`;
  const found = ['/', '%'].find((character) => name.includes(character));
  return found === undefined ? undefined : `may not contain "${found}"`;
}
