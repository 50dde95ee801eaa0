import { describe, expect, test } from 'bun:test'
import type { CacheMark, ModelRequest } from '../../../src/core/neutral/model-request.ts'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { nameResults } from '../../../src/protocols/fit/name-results.ts'
import { protocols } from '../../../src/protocols/index.ts'
import { Notes } from '../../../src/protocols/notes.ts'
import { writeJson } from '../../../src/wire/exact-json.ts'
import { call, requestOf, result, text, turn } from './fits/build-request.ts'

const cacheMark: CacheMark = { ttl: '1h' }
const opening = turn('user', text('Hi'))
const marked = { type: 'text', text: 'marked', cacheMark } as const
const image = {
  type: 'media',
  kind: 'image',
  mime: 'image/png',
  source: { type: 'base64', data: 'iVBORw0KGgo=' },
  cacheMark,
} as const

const weather = {
  type: 'function',
  name: 'weather',
  description: undefined,
  schema: undefined,
  isStrict: undefined,
} as const

function answered(...parts: Parameters<typeof turn>[1][]): Partial<ModelRequest> {
  return { turns: [opening, turn('assistant', call('a', 'weather')), turn('user', ...parts)] }
}

/** Every place of the neutral form that can have a cache mark. */
const places: Readonly<Record<string, Partial<ModelRequest>>> = {
  'the request': { turns: [opening], cacheMark },
  'a system text': { turns: [opening], system: [marked] },
  'a tool': { turns: [opening], tools: [{ ...weather, cacheMark }] },
  'a text of the user': { turns: [turn('user', marked)] },
  'one of several texts of the user': { turns: [turn('user', text('before'), marked)] },
  'an image of the user': { turns: [turn('user', text('before'), image)] },
  'a text of the model': { turns: [opening, turn('assistant', marked), opening] },
  'a tool call of the model': {
    turns: [
      opening,
      turn('assistant', call('a', 'weather', { cacheMark })),
      turn('user', result('a')),
    ],
  },
  'a tool result': answered(result('a', { cacheMark })),
  'a text of a tool result': answered(result('a', { parts: [marked] })),
  'one of several texts of a tool result': answered(
    result('a', { parts: [{ type: 'text', text: 'before' }, marked] }),
  ),
  'a tool result without content': answered(result('a', { parts: [], cacheMark })),
  'an empty text of a tool result': answered(
    result('a', { parts: [{ type: 'text', text: '', cacheMark }] }),
  ),
  'an image of a tool result': answered(result('a', { parts: [image] })),
  'a system text between turns': { turns: [opening, turn('system', marked), opening] },
}

function encode(name: ProtocolName, fields: Partial<ModelRequest>, takesCacheMarks: boolean) {
  const { translation } = protocols[name]
  const notes = new Notes(translation.fieldNames, false)
  const target = {
    model: 'upstream-model',
    issuer: 'own/model',
    traits: { takesCacheMarks },
    outputTokensMax: 8_000,
  }
  const body = translation.encodeRequest(nameResults(requestOf(fields)), target, notes)
  const marks = writeJson(body).split('"cache_control"').length - 1
  return { marks, warnings: notes.warnings.filter((warning) => /cache/i.test(warning)) }
}

const cases = Object.keys(places).map((place) => ({ place, fields: places[place] ?? {} }))

describe('a cache mark that the upstream does not support gives a warning', () => {
  const names = {
    'chat-completions': 'cache_control',
    responses: 'prompt_cache_breakpoint',
  } as const
  test.each(cases)('$place', ({ fields }) => {
    for (const name of ['chat-completions', 'responses', 'generate-content'] as const) {
      const warning = `${name === 'generate-content' ? 'cacheMark' : names[name]}_dropped`
      expect({ name, ...encode(name, fields, false) }).toEqual({
        name,
        marks: 0,
        warnings: [warning],
      })
    }
  })
})

describe('a cache mark that the upstream supports is written once, or gives a warning', () => {
  test.each(cases)('$place', ({ fields }) => {
    for (const name of ['chat-completions', 'messages'] as const) {
      const { marks, warnings } = encode(name, fields, true)
      expect({ name, marks: marks + warnings.length, warnings }).toEqual({
        name,
        marks: 1,
        warnings: marks === 1 ? [] : ['cache_control_dropped'],
      })
    }
  })

  test('messages accepts at most four, including those inside results', () => {
    const parts = Array.from({ length: 3 }, () => marked)
    const { marks, warnings } = encode(
      'messages',
      answered(result('a', { parts, cacheMark }), marked),
      true,
    )
    expect({ marks, warnings }).toEqual({ marks: 4, warnings: ['cache_control_dropped'] })
  })
})
