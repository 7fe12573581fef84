import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { Connections } from '../../src/server/connections.ts';

/** Adds connections in order; `trusted` says which of them are. */
function opened(max: number, trusted: readonly boolean[]) {
  const connections = new Connections(max);
  const all = trusted.map((isTrusted) => {
    const connection = connections.add(new Socket());
    connection.isTrusted = isTrusted;
    return connection;
  });
  return { connections, isOpen: () => all.map(({ socket }) => connections.of(socket) !== undefined) };
}

it('one connection too many replaces the one that was silent longest', () => {
  expect(opened(2, [false, false, false]).isOpen()).toEqual([false, true, true]);
});

it('a trusted connection gives way to none while there is one that is not', () => {
  const { connections, isOpen } = opened(3, [true, false, true]);
  connections.add(new Socket());
  connections.add(new Socket());
  expect(isOpen()).toEqual([true, false, true]);
});

it('where all connections are trusted, the one that was silent longest gives way', () => {
  const { connections, isOpen } = opened(2, [true, true]);
  connections.add(new Socket());
  expect(isOpen()).toEqual([false, true]);
});
