/** A promise and what settles it. */
export type Latch<T> = PromiseWithResolvers<T>;

/**
 * A promise that this process settles itself, such as "everything is loaded". Waits for sockets, servers, processes and
 * files go through `eventually` and `within` instead, which end at a limit.
 */
export function latch<T = void>(): Latch<T> {
  return Promise.withResolvers<T>();
}
