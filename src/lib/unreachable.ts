/** Marks a branch that the types exclude; throws if it is reached anyway. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
