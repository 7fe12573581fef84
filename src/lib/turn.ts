/**
 * Waits for the next turn of the event loop. Timers and sockets are served first, so a caller can let data that has
 * already arrived be read before it decides, can collect everything that happens in the current turn, and can split
 * long work so that it does not block the loop.
 */
export async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}
