import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import { noUsage } from '../../../../src/core/money/usage.ts'
import { foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { parseJson } from '../../../../src/wire/json.ts'
import {
  decodeText,
  deltasOf,
  encodeStream,
  readStream,
  replyContext,
  translation,
} from './helpers.ts'
import { begin, call, choicesOf, finished, part, text } from './neutral-replies.ts'

describe('a chat stream around its parts', () => {
  test('every chunk has the same id, time and model', () => {
    const { chunks } = readStream(encodeStream([begin, ...text('a'), finished('stop')]))
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model: 'public-model',
      })
      expect(chunk).not.toHaveProperty('usage')
    }
  })

  test('usage only on request, after the end and before the terminator', () => {
    const used = { ...noUsage, input: 5, cacheRead: 3, cacheWrite1h: 2, output: 7, reasoning: 4 }
    const events: ReplyEvent[] = [
      begin,
      { type: 'usage', usage: used },
      ...text('a'),
      finished('stop'),
    ]
    const figures = {
      prompt_tokens: 10,
      completion_tokens: 7,
      total_tokens: 17,
      prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 4 },
    }
    expect(encodeStream(events)).not.toContain('prompt_tokens')
    const { chunks } = readStream(encodeStream(events, replyContext({}, true)))
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: figures })
    for (const chunk of chunks.slice(0, -1)) expect(chunk['usage']).toBeNull()
    expect(parseJson(translation.encodeReply(events, replyContext()))).toMatchObject({
      usage: figures,
    })
    const silent = encodeStream([begin, finished('stop')], replyContext({}, true))
    expect(silent).not.toContain('prompt_tokens')
  })

  test('several answers, each with its role first', () => {
    const second = text('b').map((event) => ({ ...event, answer: 1 }))
    const ending: ReplyEvent = {
      type: 'reply-end',
      finishes: [
        { reason: 'stop', raw: undefined },
        { reason: 'length', raw: undefined },
      ],
    }
    const events: ReplyEvent[] = [begin, ...second, ...text('a'), ending]
    const { chunks } = readStream(encodeStream(events))
    for (const index of [0, 1]) {
      const own = choicesOf(chunks).filter((choice) => choice['index'] === index)
      expect(own[0]?.['delta']).toMatchObject({ role: 'assistant' })
      expect(own.at(-1)?.['finish_reason']).toBe(index === 0 ? 'stop' : 'length')
    }
    expect(parseJson(translation.encodeReply(events, replyContext()))).toMatchObject({
      choices: [{ message: { content: 'a' } }, { message: { content: 'b' } }],
    })
  })

  test('a client of the older form gets its one call in that form', () => {
    const context = () => replyContext({ functions: [{ name: 'f' }] })
    const events = [begin, ...call('x', ['{}']), ...call('y', ['{"a":1}']), finished('tool-calls')]
    const sse = encodeStream(events, context())
    expect(deltasOf(sse)).toEqual([
      { function_call: { name: 'f', arguments: '' } },
      { function_call: { arguments: '{}' } },
    ])
    expect(sse).not.toContain('tool_calls')
    expect(parseJson(translation.encodeReply(events, context()))).toMatchObject({
      choices: [
        {
          message: { function_call: { name: 'f', arguments: '{}' } },
          finish_reason: 'function_call',
        },
      ],
    })
  })

  test('probabilities', () => {
    const logprobs = [{ token: 'a', logprob: -1, bytes: undefined, top: [] }]
    const events: ReplyEvent[] = [
      begin,
      { type: 'part-start', answer: 0, part: { type: 'text' } },
      { type: 'part-delta', answer: 0, text: 'a', logprobs },
      { type: 'part-end', answer: 0 },
      finished('stop'),
    ]
    const told = {
      content: [{ token: 'a', logprob: -1, bytes: null, top_logprobs: [] }],
      refusal: null,
    }
    expect(choicesOf(readStream(encodeStream(events)).chunks)[1]?.['logprobs']).toEqual(told)
    expect(parseJson(translation.encodeReply(events, replyContext()))).toMatchObject({
      choices: [{ logprobs: told }],
    })
  })

  test('a failure is an event of the stream, without a terminator after it', () => {
    const fault = new Fault('upstream_error', 'it broke')
    const sse = encodeStream([begin, ...text('a').slice(0, 2), { type: 'fault', fault }])
    const { chunks, isEnded } = readStream(sse)
    expect(isEnded).toBe(false)
    expect(chunks.at(-1)).toMatchObject({ error: { message: 'it broke', code: 'upstream_error' } })
    expect(sse).not.toContain('[DONE]')
  })

  test('a stream that is read again gives the same events', () => {
    const events = [
      begin,
      ...part({ type: 'reasoning' }, ['hm']),
      ...text('a', 'b'),
      ...call('x', ['{"a":1}']),
      finished('tool-calls'),
    ]
    const again = foldReply(decodeText(encodeStream(events)))
    expect(again.answers).toEqual(
      foldReply(events).answers.map((answer) => ({
        ...answer,
        finish: { reason: 'tool-calls', raw: 'tool_calls' },
      })),
    )
  })
})
