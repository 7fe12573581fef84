/*
 * What `hooklet/testing` is to those who import it: its declarations are the types of the package, so they import nothing
 * of ours. `index.ts` has what they declare.
 */

export * from './public/world.ts';
export * from './public/happened.ts';
export * from './public/run-hook.ts';
export * from './public/expectations.ts';
export * from './public/sandbox.ts';
