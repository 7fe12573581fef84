/** Waits for the next turn of the event loop, so that timers and connections have theirs. */
export async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}
