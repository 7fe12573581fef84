import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeMessage, type Message, MessageReader, type MessageReaderOptions } from '../../src/runner/messages.ts';

interface Named extends Message {
  readonly text?: string;
}

/** A reader and what it read; it accepts any object as a message. */
function reading(options: Partial<MessageReaderOptions<Named>> = {}) {
  const messages: Named[] = [];
  const payloads: number[][] = [];
  const bad: string[] = [];
  const reader = new MessageReader<Named>({
    parse: (value) => {
      if (typeof value !== 'object' || value === null) throw new Error('no object');
      return { type: 'x', ...value };
    },
    onMessage: (message, payload) => {
      messages.push(message);
      payloads.push([...payload]);
    },
    onBad: (reason) => bad.push(reason),
    maxLineBytes: 1000,
    maxPayloadBytes: 1000,
    ...options,
  });
  return { reader, messages, payloads, bad };
}

describe('MessageReader', () => {
  it('gives back every message and payload in order, however the stream is cut', () => {
    const sent = fc.array(fc.record({ type: fc.string(), payload: fc.uint8Array({ maxLength: 40 }) }), {
      maxLength: 8,
    });

    fc.assert(
      fc.property(sent, fc.integer({ min: 1, max: 30 }), (messages, cut) => {
        const stream = Buffer.concat(
          messages.flatMap(({ type, payload }) => [
            Buffer.from(encodeMessage({ type, bytes: payload.length })),
            Buffer.from(payload),
          ]),
        );
        const read = reading();

        for (let at = 0; at < stream.length; at += cut) read.reader.push(stream.subarray(at, at + cut));

        expect(read.messages.map(({ type }, index) => ({ type, payload: read.payloads[index] }))).toEqual(
          messages.map(({ type, payload }) => ({ type, payload: [...payload] })),
        );
      }),
    );
  });

  it('keeps line breaks inside a message', () => {
    const { reader, messages } = reading();
    const message = { type: 'output', text: 'one\ntwo' };

    reader.push(Buffer.from(encodeMessage(message)));

    expect(messages).toEqual([message]);
  });

  it('never throws, and never reads on after what it refused', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 5 }), (chunks) => {
        const { reader, messages, bad } = reading();

        for (const chunk of chunks) reader.push(Buffer.from(chunk));
        const count = messages.length;
        reader.push(Buffer.from('\n'));
        reader.push(Buffer.from(encodeMessage({ type: 'later' })));

        if (bad.length > 0) expect(messages).toHaveLength(count);
        expect(bad.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it.each([
    ['garbage', 'garbage\n', '"garbage": Unexpected token'],
    ['what the parser refuses', '7\n', '"7": no object'],
    ['bytes that are no number', '{"bytes":"7"}\n', 'x with 7 bytes, at most 1000 are taken'],
    ['a payload of more than may be announced', '{"bytes":1001}\n', 'x with 1001 bytes, at most 1000 are taken'],
    ['a payload of less than nothing', '{"bytes":-1}\n', 'x with -1 bytes, at most 1000 are taken'],
  ])('refuses %s with a reason', (_what, text, reason) => {
    const { reader, messages, bad } = reading();

    reader.push(Buffer.from(text));

    expect(bad).toEqual([expect.stringContaining(reason)]);
    expect(messages).toEqual([]);
  });

  it('refuses a line of 1,001 bytes before its end has come, at any cut', () => {
    const { reader, bad } = reading();

    for (let at = 0; at < 1001; at++) reader.push(Buffer.from('x'));

    expect(bad).toEqual(['a line of 1001 bytes or more, at most 1000 are read']);
  });

  it('takes a line of exactly 1,000 bytes', () => {
    const { reader, messages, bad } = reading();
    const empty = JSON.stringify({ type: 'x', text: '' }).length;

    reader.push(Buffer.from(encodeMessage({ type: 'x', text: 'a'.repeat(1000 - empty) })));

    expect(bad).toEqual([]);
    expect(messages).toHaveLength(1);
  });
});
