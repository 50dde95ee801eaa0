import { gzipSync } from 'node:zlib'
import { type ProtocolName, protocolNames } from '../../src/core/neutral/protocol-name.ts'
import { richBodies } from '../scenario/translation/translate-rich-bodies.ts'
import { Chance } from '../simulation/chance.ts'
import { backedModel, type KeyName, viaModel } from '../support/gateway/test-provision.ts'
import { testProtocols } from '../support/protocols/test-protocols.ts'
import { schemaBombs } from '../unit/protocols/fits/schema-bombs.ts'
import type { HostileInput } from './hostile-input.ts'
import { anything, damaged, mutatedJson, pick } from './mutate.ts'

const keys: readonly (KeyName | undefined)[] = [
  'any',
  'any',
  'any',
  'strict',
  'tightAny',
  'broke',
  'expired',
  'scoped',
  undefined,
]
const bombs = Object.values(schemaBombs).filter((bomb) => JSON.stringify(bomb).length < 100_000)
/**
 * Internal addresses that the gateway must not connect to, in disguised spellings. The server at this port reports each
 * connection.
 */
const insideHosts: readonly string[] = [
  '127.0.0.1',
  'localhost',
  'a.localhost',
  '127.1',
  '0',
  '0.0.0.0',
  '2130706433',
  '0x7f000001',
  '017700000001',
  '0x7f.0.0.1',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:0001]',
  '169.254.169.254',
  '10.0.0.1',
  '192.168.0.1',
  '[fd00::1]',
  '[fe80::1]',
  '127.0.0.1.',
  'user@127.0.0.1',
  '１２７.0.0.1',
]

type Make = (chance: Chance, world: World) => Omit<HostileInput, 'kind'>

/** The facts about the fixture that inputs need. */
export interface World {
  /** A server that no caller may reach through the gateway. */
  readonly insidePort: number
}

interface Target {
  readonly protocol: ProtocolName
  readonly model: string
  readonly isStream: boolean
  readonly path: string
}

function targetOf(chance: Chance): Target {
  const protocol = pick(chance, protocolNames)
  const upstream = pick(chance, protocolNames)
  const model = chance.is(0.8) ? viaModel(upstream) : backedModel(upstream)
  const isStream = chance.is(0.4)
  return { protocol, model, isStream, path: testProtocols[protocol].client.path(model, isStream) }
}

function validBody({ protocol, model, isStream }: Target, chance: Chance): object {
  const plain = testProtocols[protocol].client.body(model, isStream)
  if (chance.is(0.4)) return plain
  return { ...richBodies[protocol](model), ...('stream' in plain ? { stream: isStream } : {}) }
}

function post(
  chance: Chance,
  target: Target,
  body: HostileInput['body'],
  more: Partial<HostileInput> = {},
): Omit<HostileInput, 'kind'> {
  const key = target.model.endsWith('-backed') ? 'backed' : pick(chance, keys)
  return { key, method: 'POST', path: target.path, headers: {}, body, ...more }
}

/** A body with one field replaced, by protocol. */
function withSchema(target: Target, chance: Chance, schema: object): object {
  const tools = Array.from({ length: chance.oneOf(1, 20, 60) }, (_, index) => `t${index}`)
  const inTools = chance.is(0.7)
  const base = testProtocols[target.protocol].client.body(target.model, target.isStream)
  switch (target.protocol) {
    case 'chat-completions':
      return inTools
        ? {
            ...base,
            tools: tools.map((name) => ({
              type: 'function',
              function: { name, parameters: schema },
            })),
          }
        : { ...base, response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } }
    case 'responses':
      return inTools
        ? { ...base, tools: tools.map((name) => ({ type: 'function', name, parameters: schema })) }
        : { ...base, text: { format: { type: 'json_schema', name: 'a', schema } } }
    case 'messages':
      return inTools
        ? { ...base, tools: tools.map((name) => ({ name, input_schema: schema, strict: true })) }
        : { ...base, output_config: { format: { type: 'json_schema', schema } } }
    case 'generate-content':
      return inTools
        ? {
            ...base,
            tools: [{ functionDeclarations: tools.map((name) => ({ name, parameters: schema })) }],
          }
        : {
            ...base,
            generationConfig: { responseMimeType: 'application/json', responseSchema: schema },
          }
  }
}

function withMedia(target: Target, urls: readonly string[]): object {
  const { model, isStream } = target
  switch (target.protocol) {
    case 'chat-completions':
      return {
        model,
        stream: isStream,
        max_tokens: 50,
        messages: [
          { role: 'user', content: urls.map((url) => ({ type: 'image_url', image_url: { url } })) },
        ],
      }
    case 'responses':
      return {
        model,
        stream: isStream,
        max_output_tokens: 50,
        input: [
          { role: 'user', content: urls.map((url) => ({ type: 'input_image', image_url: url })) },
        ],
      }
    case 'messages':
      return {
        model,
        stream: isStream,
        max_tokens: 50,
        messages: [
          {
            role: 'user',
            content: urls.map((url) => ({ type: 'image', source: { type: 'url', url } })),
          },
        ],
      }
    case 'generate-content':
      return {
        contents: [{ role: 'user', parts: urls.map((fileUri) => ({ fileData: { fileUri } })) }],
        generationConfig: { maxOutputTokens: 50 },
      }
  }
}

const makers: Readonly<Record<string, Make>> = {
  mutated: (chance) => {
    const target = targetOf(chance)
    return post(chance, target, mutatedJson(validBody(target, chance), chance, 0.06))
  },
  valid: (chance) => {
    const target = targetOf(chance)
    return post(chance, target, JSON.stringify(validBody(target, chance)))
  },
  'damaged bytes': (chance) => {
    const target = targetOf(chance)
    return post(chance, target, damaged(JSON.stringify(validBody(target, chance)), chance))
  },
  'any JSON': (chance) => post(chance, targetOf(chance), anything(chance, 0)),
  'schema bomb': (chance) => {
    const target = targetOf(chance)
    return post(chance, target, JSON.stringify(withSchema(target, chance, pick(chance, bombs))))
  },
  'inside URL': (chance, { insidePort }) => {
    const target = targetOf(chance)
    const urls = Array.from({ length: chance.oneOf(1, 3, 25) }, (_, index) => {
      const host = pick(chance, insideHosts)
      const port = chance.is(0.8) ? `:${insidePort}` : ''
      return `${chance.oneOf('http', 'https', 'HTTP', 'ftp', 'file', 'gopher')}://${host}${port}/secret?${index}`
    })
    return post(chance, target, JSON.stringify(withMedia(target, urls)), { key: 'any' })
  },
  'media in the body': (chance) => {
    const target = targetOf(chance)
    const data = chance.oneOf('A'.repeat(100_000), '====', '\u0000', 'A'.repeat(3), '%00')
    const mime = chance.oneOf(
      'image/png',
      'image/png;charset=x',
      '',
      'text/html',
      'x'.repeat(5_000),
    )
    return post(chance, target, JSON.stringify(withMedia(target, [`data:${mime};base64,${data}`])))
  },
  'many of a thing': (chance) => {
    const target = targetOf(chance)
    const count = chance.oneOf(100, 2_000)
    const turns = Array.from({ length: count }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : chance.oneOf('assistant', 'model', 'system'),
      content: 'x',
      parts: [{ text: 'x' }],
    }))
    const body = { ...validBody(target, chance), messages: turns, input: turns, contents: turns }
    return post(chance, target, JSON.stringify(body))
  },
  'wrong encoding': (chance) => {
    const target = targetOf(chance)
    const text = JSON.stringify(validBody(target, chance))
    const isPacked = chance.is(0.5)
    const headers = {
      'content-encoding': chance.oneOf(
        'gzip',
        'br',
        'deflate',
        'zstd',
        'gzip, gzip',
        'x',
        'identity',
      ),
    }
    const body = isPacked ? new Uint8Array(gzipSync(text)) : text
    return post(chance, target, body, { headers })
  },
  'wrong content type': (chance) => {
    const target = targetOf(chance)
    const type = chance.oneOf(
      'text/plain',
      'multipart/form-data',
      'application/json; charset=utf-16',
      '',
      'x',
    )
    const headers = { 'content-type': type }
    return post(chance, target, JSON.stringify(validBody(target, chance)), { headers })
  },
  'odd headers': (chance) => {
    const target = targetOf(chance)
    const name = chance.oneOf(
      'x-gateway-explain',
      'anthropic-version',
      'anthropic-beta',
      'x-forwarded-for',
      'x-goog-api-key',
      'openai-organization',
      'accept',
      'range',
      'if-none-match',
      'x-stainless-retry-count',
      'session_id',
    )
    const value = chance.oneOf(
      'true',
      '127.0.0.1',
      'x'.repeat(4_000),
      '%00',
      '*',
      '2023-06-01',
      '-1',
    )
    const headers = { [name]: value }
    return post(chance, target, JSON.stringify(validBody(target, chance)), { headers })
  },
  'bad key': (chance) => {
    const target = targetOf(chance)
    const value = chance.oneOf(
      '',
      'Bearer',
      'Bearer ',
      'Bearer sk-',
      'Basic YTpi',
      `Bearer ${'k'.repeat(5_000)}`,
      'Bearer \u00ff',
    )
    const headers = { authorization: value }
    const body = JSON.stringify(validBody(target, chance))
    return post(chance, target, body, { key: undefined, headers })
  },
  'odd path': (chance) => {
    const path = pick(chance, [
      '/',
      '//',
      '/v1',
      '/v1/',
      '/v1//chat/completions',
      '/v1/chat/completions/',
      '/v1/chat/completions%00',
      '/v1/chat/completions?a=%ff',
      '/v1/models/%2e%2e%2f',
      '/v1/models/..%2f..%2fetc',
      '/v1/models/%ff',
      '/v1/models/__proto__',
      '/v1beta/models/x:y',
      '/v1beta/models/%00:generateContent',
      '/v1beta/models/a:generateContent:streamGenerateContent',
      '/v1/responses/resp_x',
      '/v1/responses/%2e%2e',
      '/v1/responses/resp_1/input_items',
      '/v1/messages/batches',
      '/v1/files',
      '/v1/embeddings',
      '/healthz/x',
      '/metrics/',
      '/.env',
      `/v1/${'a'.repeat(3_000)}`,
      '/v1/models?limit=-1&after_id=%00',
      '/v1/models?pageSize=1e9&pageToken=x',
      '/v1beta/models?pageSize=0&pageToken=%F0%9F',
    ])
    const method = chance.oneOf('GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD')
    const body = method === 'POST' ? anything(chance, 2) : undefined
    return { key: pick(chance, keys), method, path, headers: {}, body }
  },
  'wrong method': (chance) => {
    const { path } = targetOf(chance)
    const method = chance.oneOf('GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD')
    return { key: 'any', method, path, headers: {}, body: undefined }
  },
  'count tokens': (chance) => {
    const target = targetOf(chance)
    const paths: Readonly<Record<ProtocolName, string>> = {
      'chat-completions': '/v1/responses/input_tokens',
      responses: '/v1/responses/input_tokens',
      messages: '/v1/messages/count_tokens',
      'generate-content': `/v1beta/models/${target.model}:countTokens`,
    }
    const body = mutatedJson(validBody(target, chance), chance, chance.oneOf(0, 0.05))
    return post(chance, { ...target, path: paths[target.protocol] }, body)
  },
  raw: (chance) => ({
    key: undefined,
    method: 'GET',
    path: '/',
    headers: {},
    body: undefined,
    raw: pick(chance, [
      'GET / HTTP/1.1\r\nhost: a\r\nx: \x00\r\n\r\n',
      'GET /v1/models HTTP/1.1\r\n\r\n',
      'GET http://x@y/metrics HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
      'POST /v1/messages HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello',
      'POST /v1/messages HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n',
      'POST /v1/messages HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n',
      'GET /v1/models HTTP/1.1\r\nhost: a\r\nauthorization: Bearer a\r\n x: b\r\n\r\n',
      'BREW /v1/models HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
      'GET /v1/models HTTP/9.9\r\nhost: a\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ]),
  }),
}

export const kinds = Object.keys(makers)

/** Input number `index` of a seed. The same numbers always give the same input. */
export function makeInput(seed: number, index: number, world: World): HostileInput {
  const chance = new Chance(seed * 1_000_003 + index)
  const kind = chance.is(0.4) ? 'mutated' : pick(chance, kinds)
  const make = makers[kind]
  if (!make) throw new Error(`no such kind: ${kind}`)
  return { kind, ...make(chance, world) }
}
