/** Marks a branch the types exclude; throws if it is reached all the same. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
