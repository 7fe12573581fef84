/** Wakes one waiter within this process; a ring without a waiter is lost. */
export class Bell {
  #wake: () => void = () => {};

  readonly ring = (): void => {
    this.#wake();
  };

  /** Resolves at the next ring. The caller must have checked its condition in the same turn of the event loop. */
  async rung(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
