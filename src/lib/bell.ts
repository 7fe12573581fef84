/** Wakes one waiter within this process; a ring that nothing waits for is not kept. */
export class Bell {
  #wake: () => void = () => {};

  readonly ring = (): void => {
    this.#wake();
  };

  /** Waits for the next ring; the caller has looked at its condition in the same turn of the event loop. */
  async rung(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
