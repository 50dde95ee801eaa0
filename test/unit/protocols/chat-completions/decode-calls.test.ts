import { describe, expect, test } from 'bun:test'
import { callDelta, called, delta, end, ended, finish, fn, partStart, start } from './chunks.ts'
import { decodeChunks, deltas, issuer } from './helpers.ts'

type Row = [name: string, chunks: unknown[], events: object[]]

const rows: Row[] = [
  [
    'a call in pieces',
    [
      ...deltas(
        callDelta({ index: 0, id: 'x', type: 'function', ...fn('f', '') }),
        callDelta({ index: 0, ...fn(undefined, '{"a"') }),
        callDelta({ index: 0, ...fn(undefined, ':1}') }),
      ),
      finish('tool_calls'),
    ],
    [
      start,
      called('x', 'f'),
      delta('{"a"'),
      delta(':1}'),
      end(),
      ended('tool-calls', 'tool_calls'),
    ],
  ],
  [
    'a forced call that ends with stop is a call',
    [...deltas(callDelta({ index: 0, id: 'x', ...fn('f', '{}') })), finish('stop')],
    [start, called('x', 'f'), delta('{}'), end(), ended('tool-calls', 'stop')],
  ],
  [
    'a call cut off by the output limit',
    [...deltas(callDelta({ index: 0, id: 'x', ...fn('f', '{"a') })), finish('length')],
    [start, called('x', 'f'), delta('{"a'), end(), ended('length', 'length')],
  ],
  [
    'a finish reason of tool_calls without any call',
    [...deltas({ content: null }), finish('tool_calls')],
    [start, ended('stop', 'tool_calls')],
  ],
  [
    'two calls in sequence, each delivered as it arrives',
    [
      ...deltas(
        callDelta({ index: 0, id: 'x', ...fn('f', '') }),
        callDelta({ index: 0, ...fn(undefined, '{}') }),
        callDelta({ index: 1, id: 'y', ...fn('g', '') }),
        callDelta({ index: 1, ...fn(undefined, '{}') }),
      ),
    ],
    [
      start,
      called('x', 'f'),
      delta('{}'),
      end(),
      called('y', 'g'),
      delta('{}'),
      end(),
      ended('tool-calls', undefined),
    ],
  ],
  [
    'two interleaved calls: the second waits for the first',
    [
      ...deltas(
        callDelta({ index: 0, id: 'x', ...fn('f', '') }),
        callDelta({ index: 1, id: 'y', ...fn('g', '') }),
        callDelta({ index: 0, ...fn(undefined, '{"a":') }, { index: 1, ...fn(undefined, '{"b":') }),
        callDelta({ index: 1, ...fn(undefined, '2}') }),
        callDelta({ index: 0, ...fn(undefined, '1}') }),
      ),
      finish('tool_calls'),
    ],
    [
      start,
      called('x', 'f'),
      delta('{"a":'),
      delta('1}'),
      end(),
      called('y', 'g'),
      delta('{"b":2}'),
      end(),
      ended('tool-calls', 'tool_calls'),
    ],
  ],
  [
    'whole calls without an index (Mistral)',
    [...deltas(callDelta({ id: 'x', ...fn('f', '{}') }, { id: 'y', ...fn('f', '{}') }))],
    [
      start,
      called('x', 'f'),
      delta('{}'),
      end(),
      called('y', 'f'),
      delta('{}'),
      end(),
      ended('tool-calls', undefined),
    ],
  ],
  [
    'whole calls that all have index 0',
    [
      ...deltas(
        callDelta({ index: 0, id: 'x', ...fn('f', '{}') }),
        callDelta({ index: 0, id: 'y', ...fn('f', '{}') }),
      ),
    ],
    [
      start,
      called('x', 'f'),
      delta('{}'),
      end(),
      called('y', 'f'),
      delta('{}'),
      end(),
      ended('tool-calls', undefined),
    ],
  ],
  [
    'calls without an id each get one',
    [
      ...deltas(
        callDelta({ index: 0, ...fn('f', '{}') }),
        callDelta({ index: 1, ...fn('f', '{}') }),
      ),
    ],
    [
      start,
      called('call_1', 'f'),
      delta('{}'),
      end(),
      called('call_2', 'f'),
      delta('{}'),
      end(),
      ended('tool-calls', undefined),
    ],
  ],
  [
    'calls that share an id',
    [
      ...deltas(
        callDelta({ index: 0, id: 'x', ...fn('f', '{}') }),
        callDelta({ index: 1, id: 'x', ...fn('g', '{}') }),
      ),
    ],
    [
      start,
      called('x', 'f'),
      delta('{}'),
      end(),
      called('call_1', 'g'),
      delta('{}'),
      end(),
      ended('tool-calls', undefined),
    ],
  ],
  [
    'id and name repeated in each chunk, or an empty id',
    [
      ...deltas(
        callDelta({ index: 0, id: 'x', ...fn('f', '{') }),
        callDelta({ index: 0, id: 'x', ...fn('f', '}') }),
        callDelta({ index: 0, id: '', ...fn('', ' ') }),
      ),
    ],
    [
      start,
      called('x', 'f'),
      delta('{'),
      delta('}'),
      delta(' '),
      end(),
      ended('tool-calls', undefined),
    ],
  ],
  [
    'a name in pieces',
    [
      ...deltas(
        callDelta({ index: 0, id: 'x', ...fn('get_', '') }),
        callDelta({ index: 0, ...fn('weather', '') }),
        callDelta({ index: 0, ...fn(undefined, '{}') }),
      ),
    ],
    [start, called('x', 'get_weather'), delta('{}'), end(), ended('tool-calls', undefined)],
  ],
  [
    'arguments that are null, an object, or missing',
    [
      ...deltas(
        callDelta({ index: 0, id: 'x', ...fn('f', null) }),
        callDelta({ index: 1, id: 'y', ...fn('g', { a: 1 }) }),
      ),
    ],
    [
      start,
      called('x', 'f'),
      end(),
      called('y', 'g'),
      delta('{"a":1}'),
      end(),
      ended('tool-calls', undefined),
    ],
  ],
  [
    'the older function_call form',
    [
      ...deltas(
        { function_call: { name: 'f', arguments: '' } },
        { function_call: { arguments: '{}' } },
      ),
      finish('function_call'),
    ],
    [start, called('call_1', 'f'), delta('{}'), end(), ended('tool-calls', 'function_call')],
  ],
  [
    'a custom tool',
    [
      ...deltas(
        callDelta({ index: 0, id: 'x', type: 'custom', custom: { name: 'c', input: '' } }),
        callDelta({ index: 0, custom: { input: '4 + 4' } }),
      ),
    ],
    [start, called('x', 'c', 'custom'), delta('4 + 4'), end(), ended('tool-calls', undefined)],
  ],
  [
    'a function beside an empty custom tool: the type decides',
    [
      ...deltas(
        callDelta({
          index: 0,
          id: 'x',
          type: 'function',
          custom: { name: '', input: '' },
          ...fn('f', ''),
        }),
        callDelta({ index: 0, custom: { name: '', input: '' }, ...fn(undefined, '{}') }),
      ),
      finish('tool_calls'),
    ],
    [start, called('x', 'f'), delta('{}'), end(), ended('tool-calls', 'tool_calls')],
  ],
  [
    'the same two without a type',
    [
      ...deltas(
        callDelta({ index: 0, id: 'x', custom: { name: '', input: '' }, ...fn('f', '{}') }),
      ),
    ],
    [start, called('x', 'f'), delta('{}'), end(), ended('tool-calls', undefined)],
  ],
  [
    'a custom tool beside an empty function: the type decides',
    [
      ...deltas(
        callDelta({
          index: 0,
          id: 'x',
          type: 'custom',
          custom: { name: 'c', input: '' },
          ...fn('', ''),
        }),
        callDelta({ index: 0, custom: { input: '4 + 4' }, ...fn('', '') }),
      ),
    ],
    [start, called('x', 'c', 'custom'), delta('4 + 4'), end(), ended('tool-calls', undefined)],
  ],
  [
    'an empty call is skipped',
    [...deltas({ content: 'a' }, callDelta({ index: 0 }))],
    [start, partStart({ type: 'text' }), delta('a'), end(), ended('other', undefined)],
  ],
  [
    'a signature on a call',
    [
      ...deltas(
        callDelta({
          index: 0,
          id: 'x',
          ...fn('f', '{}'),
          extra_content: { google: { thought_signature: 's' } },
        }),
      ),
    ],
    [
      start,
      partStart({
        type: 'tool-call',
        id: 'x',
        name: 'f',
        form: 'function',
        opaque: { issuer, kind: 'signature', data: 's' },
      }),
      delta('{}'),
      end({ opaque: { issuer, kind: 'signature', data: 's' } }),
      ended('tool-calls', undefined),
    ],
  ],
]

describe('calls of a chat stream in neutral events', () => {
  test.each(rows)('%s', (_, chunks, events) => {
    expect(decodeChunks(chunks)).toEqual(events as never)
  })

  test('arguments for a tool that is never named are a failure, not a shorter answer', () => {
    const events = decodeChunks([
      ...deltas(callDelta({ index: 0, id: 'x', ...fn(undefined, '{}') })),
      finish('tool_calls'),
    ])
    expect(events.map(({ type }) => type)).toEqual(['reply-start', 'fault'])
  })
})
