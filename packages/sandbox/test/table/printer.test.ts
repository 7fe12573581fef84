import { expect, it } from 'vitest';
import { printer } from '../../src/table/printer.ts';

it('a column is a name, a type and a priority', () => {
  expect(printer('Name, Count:integer, Port(s)+', () => []).columns).toEqual([
    { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
    { name: 'Count', type: 'integer', format: '', description: '', priority: 0 },
    { name: 'Port(s)', type: 'string', format: '', description: '', priority: 1 },
  ]);
});
