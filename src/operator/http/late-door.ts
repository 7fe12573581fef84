import type { TriggerDoor, TriggerReply } from '../../server/trigger-routes.ts';

const STARTING: TriggerReply = {
  status: 503,
  body: { error: 'the operator starts' },
  headers: { 'retry-after': '5' },
};

/** A door for a server that listens before the operator is created: until then each request is answered 503. */
export class LateDoor implements TriggerDoor {
  #door: TriggerDoor = { admit: async () => ({ type: 'refused', reply: STARTING }) };

  /** From now on requests go through this door. */
  lead(door: TriggerDoor): void {
    this.#door = door;
  }

  readonly admit: TriggerDoor['admit'] = async (head) => this.#door.admit(head);
}
