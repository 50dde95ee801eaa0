import { describe, expect, test } from 'bun:test'
import type { ModelTraits } from '../../../../src/protocols/model-traits.ts'
import { repliesAt } from '../../../support/exchanges/recorded-replies.ts'
import { bodyOf, factsOf, passThrough } from './helpers.ts'

const talk = '"messages":[{"role":"user","content":"a \\"role\\":\\"developer\\" 😀"}]'

function forward(text: string, traits: ModelTraits = {}, model = 'm'): string {
  const target = { model, outputTokensMax: 100, traits }
  return passThrough.encodeForward(bodyOf(text), factsOf(text), target)
}

type Row = [name: string, before: string, traits: ModelTraits, after: string]

const rows: Row[] = [
  [
    'a request without changes',
    `{ "model":"m", ${talk},"x":1.0 }`,
    {},
    `{ "model":"m", ${talk},"x":1.0 }`,
  ],
  [
    'a stream requests usage',
    `{"model":"m",${talk},"stream":true}`,
    {},
    `{"model":"m",${talk},"stream":true,"stream_options":{"include_usage":true}}`,
  ],
  [
    'other stream options are unchanged',
    `{"model":"m","stream_options":{"include_obfuscation":false},${talk},"stream":true}`,
    {},
    `{"model":"m","stream_options":{"include_obfuscation":false,"include_usage":true},${talk},"stream":true}`,
  ],
  [
    'a stream for a server without usage reports',
    `{"model":"m",${talk},"stream":true}`,
    { takesStreamOptions: false },
    `{"model":"m",${talk},"stream":true}`,
  ],
  [
    'a limit above the model’s is lowered in place',
    `{"model":"m","max_tokens":9e4,${talk}}`,
    {},
    `{"model":"m","max_tokens":100,${talk}}`,
  ],
  [
    'a limit is renamed in place',
    `{"model":"m","max_tokens" : 7.0,${talk}}`,
    { outputLimitField: 'max_completion_tokens' },
    `{"model":"m","max_completion_tokens":7.0,${talk}}`,
  ],
  [
    'renamed and lowered',
    `{"model":"m",${talk}, "max_completion_tokens":900 }`,
    { outputLimitField: 'max_tokens' },
    `{"model":"m",${talk}, "max_tokens":100 }`,
  ],
  [
    'both limits are sent',
    `{"model":"m","max_tokens":7,"max_completion_tokens":8,${talk}}`,
    { outputLimitField: 'max_tokens' },
    `{"model":"m","max_tokens":7,"max_completion_tokens":8,${talk}}`,
  ],
  [
    'a second limit is not above the reserved one',
    `{"model":"m","max_tokens":70,"max_completion_tokens":8,${talk}}`,
    { outputLimitField: 'max_tokens' },
    `{"model":"m","max_tokens":8,"max_completion_tokens":8,${talk}}`,
  ],
  [
    'limits under names that some servers prefer are not above the reserved one',
    `{"model":"m","max_tokens":8,"n_predict":70,"max_length":9,"max_new_tokens":8,${talk}}`,
    {},
    `{"model":"m","max_tokens":8,"n_predict":8,"max_length":8,"max_new_tokens":8,${talk}}`,
  ],
  [
    'a negative limit, which some servers read as no limit, becomes the reserved one',
    `{"model":"m","max_tokens":8,"n_predict":-1,"num_predict":-2,${talk}}`,
    {},
    `{"model":"m","max_tokens":8,"n_predict":8,"num_predict":8,${talk}}`,
  ],
  [
    'a request without a limit gets none',
    `{"model":"m","max_tokens":null,${talk}}`,
    { outputLimitField: 'max_completion_tokens' },
    `{"model":"m","max_tokens":null,${talk}}`,
  ],
  [
    'the role of instructions changes, and similar text does not',
    '{"model":"m","messages":[{"role" : "developer","content":[{"type":"text","role":"developer","text":"\\"role\\":\\"developer\\""}]},{"content":"developer","role":"user"},{"content":"b", "role":"devel\\u006fper"}],"role":"developer"}',
    { instructionRole: 'system' },
    '{"model":"m","messages":[{"role" : "system","content":[{"type":"text","role":"developer","text":"\\"role\\":\\"developer\\""}]},{"content":"developer","role":"user"},{"content":"b", "role":"system"}],"role":"developer"}',
  ],
  [
    'a server without the role developer',
    `{"model":"m",${talk}}`,
    { instructionRole: 'system' },
    `{"model":"m",${talk}}`,
  ],
]

describe('a chat request on its way to a chat upstream', () => {
  test.each(rows)('%s', (_, before, traits, after) => {
    expect(forward(before, traits)).toBe(after)
  })

  test('the model is the upstream’s, whatever else is patched', () => {
    const before = `{"max_tokens":900,"messages":[{"role":"developer","content":"a"}],"model":"m","stream":true}`
    const traits: ModelTraits = {
      outputLimitField: 'max_completion_tokens',
      instructionRole: 'system',
    }
    expect(forward(before, traits, 'up')).toBe(
      '{"max_completion_tokens":100,"messages":[{"role":"system","content":"a"}],"model":"up","stream":true,"stream_options":{"include_usage":true}}',
    )
  })

  test('a whole reply is read for its usage, and measured when it reports none', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 4 }
    expect(passThrough.readReply({ usage }, {}).usage).toMatchObject({ input: 3, output: 4 })
    expect(
      passThrough.readReply({ x_groq: { usage } }, repliesAt('https://api.groq.com')).usage,
    ).toMatchObject({ output: 4 })
    const silent = passThrough.readReply(
      { choices: [{ message: { content: 'some words here' } }] },
      {},
    )
    expect(silent.usage).toBeUndefined()
    expect(silent.deliveredTokens()).toBeGreaterThan(0)
  })
})
