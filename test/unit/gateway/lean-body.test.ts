import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { readJsonBody } from '../../../src/gateway/admit/read-json-body.ts'
import { leanBody } from '../../../src/gateway/forward/lean-body.ts'
import { protocols } from '../../../src/protocols/index.ts'
import { Notes } from '../../../src/protocols/notes.ts'
import type { JsonBody } from '../../../src/protocols/request-facts.ts'
import { writeJson } from '../../../src/wire/exact-json.ts'
import { findMembers } from '../../../src/wire/find-members.ts'
import { isObject, type JsonObject, parseJson } from '../../../src/wire/json.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { repeats } from '../../support/repeats.ts'

/*
 * The texts of a long body are cut out before it is translated and put back into the output, escaped as they arrived.
 * The output must mean the same as without the cuts.
 */
const path = { model: 'm', isStream: false, framing: 'sse' } as const
const mark = 'cut0123456789abcdefghijkl'
const mint = (prefix: string) => mark.replace('cut', prefix)
/** Padding that makes every body long without changing its meaning, so that also shorter strings are cut out. */
const padding = Array<string>(2_200).fill('p'.repeat(500))

function asked(
  from: (typeof protocolNames)[number],
  texts: readonly string[],
  png: string,
): JsonObject {
  const [first = '', second = '', third = '', fourth = ''] = texts
  const model = { model: 'm', metadata: { padding } }
  switch (from) {
    case 'chat-completions':
      return {
        ...model,
        messages: [
          { role: 'system', content: first },
          {
            role: 'user',
            content: [
              { type: 'text', text: second },
              { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
            ],
          },
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: 'c1',
                type: 'function',
                function: { name: 'f', arguments: JSON.stringify({ content: fourth }) },
              },
            ],
          },
          { role: 'tool', tool_call_id: 'c1', content: third },
          { role: 'user', content: fourth },
        ],
      }
    case 'responses':
      return {
        ...model,
        store: false,
        instructions: first,
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: second },
              { type: 'input_image', image_url: `data:image/png;base64,${png}` },
            ],
          },
          {
            type: 'function_call',
            call_id: 'c1',
            name: 'f',
            arguments: JSON.stringify({ input: fourth }),
          },
          { type: 'function_call_output', call_id: 'c1', output: third },
          { role: 'user', content: fourth },
        ],
      }
    case 'messages':
      return {
        ...model,
        max_tokens: 100,
        system: [{ type: 'text', text: first }],
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: second },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
            ],
          },
          {
            role: 'assistant',
            content: [
              { type: 'tool_use', id: 'c1', name: 'f', input: { content: fourth, text: first } },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: third }] },
              {
                type: 'document',
                source: {
                  type: 'base64',
                  media_type: 'text/plain',
                  data: Buffer.from(fourth.padEnd(300, '.')).toString('base64'),
                },
              },
            ],
          },
          { role: 'assistant', content: second },
          { role: 'user', content: fourth },
        ],
      }
    case 'generate-content':
      return {
        labels: { padding },
        systemInstruction: { parts: [{ text: first }] },
        contents: [
          {
            role: 'user',
            parts: [{ text: second }, { inlineData: { mimeType: 'image/png', data: png } }],
          },
          { role: 'model', parts: [{ functionCall: { name: 'f', args: { text: fourth } } }] },
          {
            role: 'user',
            parts: [{ functionResponse: { name: 'f', response: { content: third } } }],
          },
          { role: 'user', parts: [{ text: fourth }] },
        ],
      }
  }
}

function translate(
  body: JsonBody,
  from: (typeof protocolNames)[number],
  to: (typeof protocolNames)[number],
): string {
  const { passThrough, translation } = protocols[from]
  const request = translation.decodeRequest(body, passThrough.decodeFacts(body, path))
  const notes = new Notes(translation.fieldNames, false)
  const target = { model: 'up', issuer: 'i', traits: {}, outputTokensMax: 1_000 }
  return writeJson(protocols[to].translation.encodeRequest(request, target, notes))
}

/** The beginning of a PNG file and some more bytes, in the base64 variants that clients use. */
const pictures = fc
  .tuple(
    fc.uint8Array({ minLength: 300, maxLength: 600 }),
    fc.constantFrom('base64', 'base64url', 'unpadded', 'wrapped'),
  )
  .map(([bytes, spelling]) => {
    const file = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), bytes])
    if (spelling === 'base64url') return file.toString('base64url')
    const text = file.toString('base64')
    if (spelling === 'unpadded') return text.replace(/=+$/, '')
    return spelling === 'wrapped' ? text.replaceAll(/.{76}/g, '$&\n') : text
  })

const texts = fc.array(
  fc.oneof(
    fc.string({ unit: anyCharacter, minLength: 300, maxLength: 900 }),
    fc.string({
      unit: fc.constantFrom('\\', '"', '\n', '😀', '文', ' ', '{', 'a'),
      minLength: 300,
      maxLength: 900,
    }),
    fc.constant(`{"a":"${'b'.repeat(900)}"}`),
    fc.constant(`{"a":"${'b'.repeat(300)}","c":"${'d'.repeat(300)}"}`),
    fc.constant(' '.repeat(900)),
    fc.constant('\n'.repeat(900)),
    fc.constant(`word ${' '.repeat(900)}`),
    fc.constant(`${'word '.repeat(200)}${' '.repeat(300)}`),
    fc.constant('short'),
  ),
  { minLength: 4, maxLength: 4 },
)

describe.each(protocolNames)('from %s', (from) => {
  test.each(protocolNames)('to %s: the sent body means the same', async (to) => {
    let carried = 0
    await fc.assert(
      fc.asyncProperty(texts, pictures, async (list, png) => {
        const text = JSON.stringify(asked(from, list, png))
        const body = await readJsonBody(Buffer.from(text), mint)
        const value = parseJson(text)
        if (!isObject(value)) throw new Error('the request is not an object')
        expect(body.value).toEqual(value)
        const { cuts } = body
        if (!cuts) return
        expect(cuts.fillText(body.text)).toBe(text)
        const lean = leanBody(body)
        const written = translate(lean, from, to)
        if (written.includes(mark)) carried += 1
        const filled = cuts.fillText(written)
        expect(filled).not.toContain(mark)
        expect(Buffer.concat(await cuts.fill(written)).toString()).toBe(filled)
        expect(cuts.byteLengthOf(written)).toBe(Buffer.byteLength(filled))
        const whole = translate({ text, value, members: findMembers(text) }, from, to)
        const [given, wanted] = [parseJson(filled), parseJson(whole)]
        expect(isObject(given)).toBe(true)
        expect(given).toEqual(wanted)
      }),
      { numRuns: repeats(4) },
    )
    expect(carried).toBeGreaterThan(0)
  })
})
