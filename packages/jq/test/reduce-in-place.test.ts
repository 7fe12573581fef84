import { describe, expect, it } from 'vitest';
import { resultLine } from './our-jq.ts';

describe('a reduce that builds a container', () => {
  it.each([
    ['reduce range(3) as $i ({}; .["k\\($i)"] = $i)', '{"k0":0,"k1":1,"k2":2}'],
    ['reduce ("a", "b", "a") as $k ({}; .[$k] += 1)', '{"a":2,"b":1}'],
    ['reduce ("a", "b", "a") as $k (null; .[$k] |= . + 1)', '{"a":2,"b":1}'],
    ['reduce range(3) as $i ([]; . + [$i])', '[0,1,2]'],
    ['reduce range(3) as $i (null; . + [$i])', '[0,1,2]'],
    ['reduce range(3) as $i ({}; . + {"x": $i})', '{"x":2}'],
    ['reduce range(3) as $i ([7, 8, 9]; .[$i] = -.[$i])', '[-7,-8,-9]'],
    ['reduce range(2) as $i ([]; .[$i + 1] = $i)', '[null,0,1]'],
    ['reduce range(2) as $i ([1, 2]; .[-1] = .[0])', '[1,1]'],
    ['reduce range(2) as $i ({}; .a = .)', '{"a":{"a":{}}}'],
    ['reduce range(2) as $i ([]; . + [.])', '[[],[[]]]'],
    ['reduce range(2) as $i ({}; .a = [., $i])', '{"a":[{"a":[{},0]},1]}'],
    ['reduce range(2) as $i ({}; .a = (., 1))', '{"a":1}'],
    ['reduce range(2) as $i ({}; .a += (1, 2))', '{"a":4}'],
    ['reduce range(2) as $i ({"n": 1}; .["k\\(.n)"] = .n)', '{"n":1,"k1":1}'],
    ['reduce (1, 2) as $i ({}; .["__proto__"] = $i) | tojson', '"{\\"__proto__\\":2}"'],
    ['reduce (1, 2) as $i ([], [0]; . + [$i])', '[1,2] [0,1,2]'],
    ['{"a": 1} as $o | reduce (1, 2) as $i ($o; .b = $i) | ., $o', '{"a":1,"b":2} {"a":1}'],
    ['[1] as $a | (reduce (1, 2) as $i ($a; . + [$i])), $a', '[1,1,2] [1]'],
    ['reduce (1, 2) as $i ({}; .l += [$i])', '{"l":[1,2]}'],
    ['try reduce (1, 2) as $i ([]; .a = $i) catch .', '"Cannot index array with string (\\"a\\")"'],
    ['reduce range(50000) as $i ({}; .["k\\($i)"] = $i) | length', '50000'],
    ['reduce range(50000) as $i ([]; . + [$i]) | length', '50000'],
  ])('gives what copying gives: %s', (program, expected) => {
    expect(resultLine(program)).toBe(expected);
  });
});
