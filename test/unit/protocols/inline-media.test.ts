import { describe, expect, test } from 'bun:test'
import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { protocols } from '../../../src/protocols/index.ts'
import { Notes } from '../../../src/protocols/notes.ts'
import { writeJson } from '../../../src/wire/exact-json.ts'
import { isObject, parseJson } from '../../../src/wire/json.ts'
import { scanJson } from '../../../src/wire/scan-json.ts'

/** Bytes whose base64 has both special characters and padding, after the first bytes of a PNG. */
const bytes = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0xd, 0xa, 0x1a, 0xa, 0xfb, 0xff, 0xbf, 0xfe])
const standard = new Uint8Array([...bytes, 0xff]).toBase64()
const spellings = {
  'URL-safe': standard.replaceAll('+', '-').replaceAll('/', '_'),
  'URL-safe without padding': standard.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
  'without padding': standard.replace(/=+$/, ''),
  'with line breaks': `${standard.slice(0, 8)}\n${standard.slice(8)}`,
}

type Kind = 'image' | 'pdf' | 'audio'
type Bodies = Readonly<Partial<Record<Kind | `${Kind} at a URL`, (data: string) => object>>>

const chat = (part: object) => ({ model: 'm', messages: [{ role: 'user', content: [part] }] })
const responses = (part: object) => ({ model: 'm', input: [{ role: 'user', content: [part] }] })
const messages = (part: object) => ({
  model: 'm',
  max_tokens: 9,
  messages: [{ role: 'user', content: [part] }],
})
const gemini = (part: object) => ({ contents: [{ role: 'user', parts: [part] }] })
const pngUrl = (data: string) => `data:image/png;base64,${data}`
const pdfUrl = (data: string) => `data:application/pdf;base64,${data}`

const sent: Readonly<Record<ProtocolName, Bodies>> = {
  'chat-completions': {
    image: (data) => chat({ type: 'image_url', image_url: { url: pngUrl(data) } }),
    pdf: (data) => chat({ type: 'file', file: { filename: 'a.pdf', file_data: pdfUrl(data) } }),
    audio: (data) => chat({ type: 'input_audio', input_audio: { data, format: 'wav' } }),
  },
  responses: {
    image: (data) => responses({ type: 'input_image', image_url: pngUrl(data) }),
    pdf: (data) => responses({ type: 'input_file', filename: 'a.pdf', file_data: pdfUrl(data) }),
    'pdf at a URL': (data) => responses({ type: 'input_file', file_url: pdfUrl(data) }),
    audio: (data) => responses({ type: 'input_audio', input_audio: { data, format: 'wav' } }),
  },
  messages: {
    image: (data) =>
      messages({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }),
    'image at a URL': (data) =>
      messages({ type: 'image', source: { type: 'url', url: pngUrl(data) } }),
    pdf: (data) =>
      messages({
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data },
      }),
    'pdf at a URL': (data) =>
      messages({ type: 'document', source: { type: 'url', url: pdfUrl(data) } }),
  },
  'generate-content': {
    image: (data) => gemini({ inlineData: { mimeType: 'image/png', data } }),
    'image at a URL': (data) => gemini({ fileData: { fileUri: pngUrl(data) } }),
    pdf: (data) => gemini({ inline_data: { mime_type: 'application/pdf', data } }),
    audio: (data) => gemini({ inlineData: { mimeType: 'audio/wav', data } }),
  },
}

function translate(from: ProtocolName, to: ProtocolName, body: object): string {
  const text = JSON.stringify(body)
  const value = parseJson(text)
  const scan = scanJson(text, 64)
  if (!isObject(value) || !scan.ok) throw new Error('the request has no body')
  const path = { model: 'm', isStream: false, framing: 'sse' } as const
  const json = { text, value, members: scan.members }
  const facts = protocols[from].passThrough.decodeFacts(json, path)
  const request = protocols[from].translation.decodeRequest(json, facts)
  const notes = new Notes(protocols[from].translation.fieldNames, false)
  const target = { model: 'up', issuer: 'i', traits: {}, outputTokensMax: 100 }
  return writeJson(protocols[to].translation.encodeRequest(request, target, notes))
}

for (const from of protocolNames) {
  describe(`inline media of a ${from} client`, () => {
    for (const [kind, bodyOf] of Object.entries(sent[from])) {
      for (const [spelling, data] of Object.entries(spellings)) {
        for (const to of protocolNames) {
          if (kind === 'audio' && to === 'messages') continue
          test(`${kind}, ${spelling}, reaches ${to} in standard base64`, () => {
            const written = translate(from, to, bodyOf(data))
            expect(written).toContain(`${standard}"`)
            expect(written).not.toContain(`${data}"`)
          })
        }
      }
    }
  })
}

/** Media that a model generated come back in the same way. */
const replies: Readonly<Partial<Record<ProtocolName, (data: string) => object>>> = {
  'chat-completions': (data) => ({
    choices: [
      {
        index: 0,
        message: { content: '', images: [{ type: 'image_url', image_url: { url: pngUrl(data) } }] },
        finish_reason: 'stop',
      },
    ],
  }),
  responses: (data) => ({
    id: 'resp_1',
    status: 'completed',
    output: [{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: data }],
  }),
  'generate-content': (data) => ({
    candidates: [
      {
        content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] },
        finishReason: 'STOP',
      },
    ],
  }),
}

for (const from of protocolNames) {
  const replyOf = replies[from]
  if (!replyOf) continue
  for (const [spelling, data] of Object.entries(spellings)) {
    test(`an image in a ${from} reply, ${spelling}, is read as standard base64`, () => {
      const context = { issuer: 'i', replies: {}, mint: (prefix: string) => `${prefix}1` }
      const reply = JSON.stringify(replyOf(data))
      const events = protocols[from].translation.decodeReply(reply, context)
      expect(events).toContainEqual({
        type: 'part-start',
        answer: 0,
        part: { type: 'media', mime: 'image/png', source: { type: 'base64', data: standard } },
      })
    })
  }
}
