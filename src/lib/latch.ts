/** A promise and the functions that settle it. */
export type Latch<T> = PromiseWithResolvers<T>;

/**
 * Creates a promise that this process settles itself, such as "everything is loaded". Waits for sockets, servers,
 * processes and files use `eventually` and `within` instead, which have a limit.
 */
export function latch<T = void>(): Latch<T> {
  return Promise.withResolvers<T>();
}
