import { describe, expect, test } from 'bun:test'
import { foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import type { ReplyTraits } from '../../../../src/protocols/reply-traits.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { repliesAt } from '../../../support/exchanges/recorded-replies.ts'
import { passThrough, translation, upstream } from './helpers.ts'

/* Fields beyond the protocol are read only as the vendor's traits declare. */

const unknown = repliesAt('https://nobody-knows.test')
const mistral = repliesAt('https://api.mistral.ai')
const groq = repliesAt('https://api.groq.com')
const deepseek = repliesAt('https://api.deepseek.com')

const reply = (message: JsonObject, choice: JsonObject = {}) => ({
  choices: [{ index: 0, message, finish_reason: 'stop', ...choice }],
})

function fold(replies: ReplyTraits, whole: JsonObject) {
  return foldReply(translation.decodeReply(JSON.stringify(whole), { ...upstream(), replies }))
}

describe('finish reasons', () => {
  test.each<[string, ReplyTraits, string]>([
    ['length', {}, 'length'],
    ['model_length', {}, 'other'],
    ['model_length', mistral, 'length'],
    ['model_length', unknown, 'length'],
    ['eos', mistral, 'other'],
    ['eos', unknown, 'stop'],
    ['max_tokens', unknown, 'length'],
    // Names that every object has are not finish reasons.
    ['constructor', {}, 'other'],
    ['toString', unknown, 'other'],
  ])('%s, row %#', (word, replies, expected) => {
    const { answers } = fold(replies, reply({ content: 'Hi' }, { finish_reason: word }))
    expect<unknown>(answers[0]?.finish?.reason).toBe(expected)
  })

  test('the stop sequence is read from the vendor’s field', () => {
    const whole = reply({ content: 'Hi' }, { stop_reason: 'END' })
    expect(fold(unknown, whole).answers[0]?.finish).toMatchObject({ stopSequence: 'END' })
    expect(fold(groq, whole).answers[0]?.finish).toMatchObject({ reason: 'stop' })
  })
})

describe('reasoning', () => {
  const thoughtsIn = (replies: ReplyTraits, message: JsonObject) =>
    (fold(replies, reply(message)).answers[0]?.parts ?? [])
      .flatMap(({ part }) => (part.type === 'reasoning' ? [part.text] : []))
      .join('|')
  const both = { content: 'Hi', reasoning_content: 'Let me see.', reasoning: 'Let me see.' }

  test.each<[string, ReplyTraits, JsonObject, string]>([
    ['an unknown server: either field', unknown, { reasoning: 'Hm.' }, 'Hm.'],
    ['an empty field beside a filled one', unknown, { reasoning_content: '', reasoning: 'a' }, 'a'],
    ['the same reasoning in both fields counts once', unknown, both, 'Let me see.'],
    ['Groq: its own field', groq, { reasoning: 'Hm.' }, 'Hm.'],
    ['Groq: the field of others', groq, { reasoning_content: 'Hm.' }, ''],
    ['DeepSeek: its own field', deepseek, { reasoning_content: 'Hm.' }, 'Hm.'],
  ])('%s', (_, replies, message, expected) => {
    expect(thoughtsIn(replies, message)).toBe(expected)
  })

  test('an estimate counts duplicated reasoning once', () => {
    const once = passThrough.readReply(reply({ content: 'Hi', reasoning: 'Let me see.' }), unknown)
    const twice = passThrough.readReply(reply(both), unknown)
    expect(twice.deliveredTokens()).toBe(once.deliveredTokens())
    expect(twice.reasoningTokens?.()).toBe(once.reasoningTokens?.() ?? 0)
  })
})
