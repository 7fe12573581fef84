import { expect, it } from 'vitest';
import { Contact, killAfterMs } from '../../../src/cli/work/contact.ts';

it('a contact of 15 s ends hooks after 10 s, has them killed after 13.5 s, and is lost after 15 s', () => {
  const contact = new Contact({ silenceMs: 15_000 }, 1000);

  expect(contact.leftMs(1000)).toBe(10_000);
  expect([contact.isSilent(10_999), contact.isSilent(11_000)]).toEqual([false, true]);
  expect(contact.fenceMs(11_000)).toBe(3500);
  expect([contact.isLost(15_999), contact.isLost(16_000)]).toEqual([false, true]);
});

it('a contact counts from when the last request was sent that was answered, whatever came late', () => {
  const contact = new Contact({ silenceMs: 15_000 }, 0);
  contact.answered(5000);
  contact.answered(2000);

  expect(contact.leftMs(5000)).toBe(10_000);
});

it('the fence of a contact that was over long ago falls now', () => {
  expect(new Contact({ silenceMs: 15_000 }, 0).fenceMs(60_000)).toBe(0);
});

it.each([300, 1500, 15_000, 60_000])(
  'hooks that are told to end after 2/3 of %i ms have ended before the fence',
  (silenceMs) => {
    const contact = new Contact({ silenceMs }, 0);
    const toldAtMs = contact.leftMs(0);
    // A warm hook is asked for a fifth of the time before it gets SIGTERM.
    const endedAtMs = toldAtMs + killAfterMs({ silenceMs }) * 1.2;

    expect(endedAtMs).toBeLessThanOrEqual(toldAtMs + contact.fenceMs(toldAtMs));
  },
);
