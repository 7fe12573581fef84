import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeMessage, type Message, MessageReader } from '../../src/runner/messages.ts';

it('gives back every message and payload in order, however the stream is cut', () => {
  const sent = fc.array(fc.record({ type: fc.string(), payload: fc.uint8Array({ maxLength: 40 }) }), { maxLength: 8 });

  fc.assert(
    fc.property(sent, fc.integer({ min: 1, max: 30 }), (messages, cut) => {
      const stream = Buffer.concat(
        messages.flatMap(({ type, payload }) => [
          Buffer.from(encodeMessage({ type, bytes: payload.length })),
          Buffer.from(payload),
        ]),
      );
      const received: unknown[] = [];
      const reader = new MessageReader<Message>(({ type }, payload) => received.push({ type, payload: [...payload] }));

      for (let at = 0; at < stream.length; at += cut) reader.push(stream.subarray(at, at + cut));

      expect(received).toEqual(messages.map(({ type, payload }) => ({ type, payload: [...payload] })));
    }),
  );
});

it('keeps line breaks inside a message', () => {
  const received: Message[] = [];
  const reader = new MessageReader<Message & { readonly text: string }>((message) => received.push(message));
  const message = { type: 'output', text: 'one\ntwo' };

  reader.push(Buffer.from(encodeMessage(message)));

  expect(received).toEqual([message]);
});
