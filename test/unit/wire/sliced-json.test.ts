import { describe, expect, test } from 'bun:test'
import { findMembers } from '../../../src/wire/find-members.ts'
import { parseJson } from '../../../src/wire/json.ts'
import { SlicedJson } from '../../../src/wire/sliced-json.ts'

const limits = { depthMax: 8, nameCharactersMax: 1_000_000, nodesMax: 1_000 }

/** Reads in the smallest slices, so that a slice ends at every possible position. */
function read(text: string): SlicedJson {
  const reader = new SlicedJson(text, limits)
  for (let turns = 0; !reader.run(1); turns += 1) {
    if (turns > 10_000_000) throw new Error('the scan does not end')
  }
  return reader
}

const long = 'x'.repeat(65_535)
const good = [
  '{}',
  ' { } ',
  '{"a":1}',
  '{"a":[],"b":{},"c":[{}],"d":[[],[]]}',
  '{"a":[1,-0,0.5,1e3,-1.25E-2,1E+2]}',
  '{"a":true,"b":false,"c":null}',
  '{"":""}',
  '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"}',
  '{"\\u0061":1,"b":"\\\\"}',
  '{"1":1,"0":2}',
  '{ "a" : [ 1 , 2 ] ,\r\n\t"b" : { "c" : "d" } }',
  '{"a":"文字","b":"\u2028\ufeff"}',
  `{"a":"${long}"}`,
  `{"a":"${long}b"}`,
  `{"a":"${long.slice(1)}\\n"}`,
  `{"a":"${long}\\n"}`,
  `{"a":"${long}\\\\"}`,
  `{"a":"${long.slice(2)}\\u00e9z"}`,
  `{"a":"${long.slice(0, -3)}\\ud83d\\ude00"}`,
  `{"a":"${'\\"'.repeat(50_000)}"}`,
  `{"a":"${'\\u00e9'.repeat(50_000)}","b":1}`,
  `{"${long}${long}":1}`,
]

describe('text that JSON.parse accepts gives the same value', () => {
  test.each(good.map((text) => [text.slice(0, 60), text]))('%s', (_, text) => {
    const reader = read(text)
    expect(reader.problem).toBeUndefined()
    expect(reader.value).toEqual(parseJson(text) as Record<string, unknown>)
    expect([...reader.members]).toEqual([...findMembers(text)])
  })
})

const bad = [
  '',
  ' ',
  '{',
  '}',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{,"a":1}',
  '{"a":1 "b":2}',
  '{"a":1,,"b":2}',
  '{a:1}',
  "{'a':1}",
  '{"a":[1,]}',
  '{"a":[,1]}',
  '{"a":[1 2]}',
  '{"a":[1}',
  '{"a":{]}',
  '{"a":01}',
  '{"a":+1}',
  '{"a":.5}',
  '{"a":1.}',
  '{"a":1e}',
  '{"a":-}',
  '{"a":0x1}',
  '{"a":NaN}',
  '{"a":tru}',
  '{"a":truex}',
  '{"a":"\\x"}',
  '{"a":"\\u12"}',
  '{"a":"\\u12g4"}',
  '{"a":"\n"}',
  '{"a":"\u0000"}',
  '{"a":"',
  '{"a":"\\"}',
  '{"a":"b',
  '{"a":1}{',
  '{"a":1} x',
  '{"a":1}}',
  '\ufeff{}',
  '{"a":\u00a01}',
  `{"a":"${long}\\`,
]

describe('text that JSON.parse refuses is refused', () => {
  test.each(bad.map((text) => [text.slice(0, 60), text]))('%j', (_, text) => {
    expect(parseJson(text)).toBeUndefined()
    expect(read(text).problem).toBeString()
  })
})

test.each([
  ['a duplicate name', '{"a":1,"a":2}', '"a" appears twice'],
  ['a duplicate name, once escaped', '{"a":1,"\\u0061":2}', '"a" appears twice'],
  ['a duplicate name, nested', '{"x":[{"b":1,"b":1}]}', '"b" appears twice'],
  ['__proto__', '{"__proto__":1}', '__proto__'],
  ['__proto__, escaped', '{"a":{"\\u005f_proto__":1}}', '__proto__'],
  ['too many levels', `{"a":${'['.repeat(8)}${']'.repeat(8)}}`, 'deeper than 8'],
  ['too many items', `{"a":[${'1,'.repeat(1_000)}1]}`, 'more than 1000 names and list items'],
  [
    'too many names',
    `{${Array.from({ length: 1_001 }, (_, i) => `"${i}":1`).join()}}`,
    'more than 1000',
  ],
  ['too many spaces', `{${' '.repeat(70_000)}}`, 'spaces in a row'],
])('%s is refused', (_, text, problem) => {
  expect(read(text).problem).toContain(problem)
})

test.each(['[]', '1', '"a"', 'null'])('%s is not an object', (text) => {
  const reader = read(text)
  expect(reader.problem).toBeUndefined()
  expect(reader.value).toBeUndefined()
})
