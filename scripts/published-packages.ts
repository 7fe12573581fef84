/** The packages in `packages/` that can be published; the others are for tests. */
export const PUBLISHED: readonly string[] = ['jq', 'sandbox'];

/** The packages that are a program, which runs that of hooklet. */
export const PROGRAMS: readonly string[] = ['create-hooklet'];
