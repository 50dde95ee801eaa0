import type { JsonObject } from '../../../src/wire/json.ts'
import {
  dig,
  frame,
  idsOf,
  list,
  prompt,
  type ScriptedReply,
  type StreamedEvent,
  type TestProtocol,
  texts,
  toolInput,
  toolName,
  toolSchema,
} from './test-protocol.ts'

const usage = {
  promptTokenCount: 1_000,
  cachedContentTokenCount: 400,
  candidatesTokenCount: 150,
  thoughtsTokenCount: 50,
  totalTokenCount: 1_200,
}

export const generateContent: TestProtocol = {
  name: 'generate-content',
  usage,
  client: {
    path: pathOf,
    body: () => ({
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      generationConfig: { maxOutputTokens: 1_000 },
    }),
    keyHeaders: (value) => ({ 'x-goog-api-key': value }),
    toolFields: {
      tools: [{ functionDeclarations: [{ name: toolName, parametersJsonSchema: toolSchema }] }],
      generationConfig: {
        maxOutputTokens: 4_000,
        thinkingConfig: { includeThoughts: true, thinkingBudget: 1_024 },
      },
    },
    textOf: (reply) => texts(textParts(reply)),
    usageOf: (reply) => dig(reply, 'usageMetadata'),
    streamedText: (events) => texts(events.flatMap(({ data }) => textParts(data))),
    streamedUsage: (events) => dig(events.at(-1)?.data, 'usageMetadata'),
    countEnds: (events) =>
      events.filter(({ data }) => dig(data, 'candidates', 0, 'finishReason') !== undefined).length,
    readFault: faultIn,
    streamedFault: (events) => {
      const last = events.at(-1)?.data
      return dig(last, 'error') === undefined ? undefined : faultIn(last)
    },
    callIds: (reply) => idsOf(partsOf(reply).map((part) => dig(part, 'functionCall', 'id'))),
    streamedCallIds: (events: readonly StreamedEvent[]) =>
      idsOf(events.flatMap(({ data }) => partsOf(data).map((p) => dig(p, 'functionCall', 'id')))),
    goOn: (first, reply) => {
      const parts = partsOf(reply)
      const calls = parts.map((part) => dig(part, 'functionCall', 'id'))
      return follow(
        first,
        parts,
        calls.find((id) => id !== undefined),
      )
    },
    goOnBare: (first, callId) => {
      const call = { id: callId, name: toolName, args: toolInput }
      return follow(first, [{ functionCall: call }], callId)
    },
  },
  upstream: {
    path: pathOf,
    headers: (credential) => ({ 'x-goog-api-key': credential }),
    reply: (said) => ({
      candidates: [{ content: content(said), finishReason: 'STOP', index: 0 }],
      ...(said.hasUsage === false ? {} : { usageMetadata: usage }),
      modelVersion: 'theirs',
      responseId: 'r1',
    }),
    events,
    tailLength: 1,
    faultEvent: (status, text) => {
      const words: Readonly<Record<number, string>> = {
        400: 'INVALID_ARGUMENT',
        429: 'RESOURCE_EXHAUSTED',
        503: 'UNAVAILABLE',
        529: 'UNAVAILABLE',
      }
      return frame({ error: { code: status, message: text, status: words[status] ?? 'INTERNAL' } })
    },
    promptOf: (body) => dig(body, 'contents', -1, 'parts', 0, 'text'),
    tokensOf: (body) =>
      list(dig(body, 'contents'))
        .flatMap((each) => list(dig(each, 'parts')))
        .map((part) => dig(part, 'thoughtSignature'))
        .filter((token) => token !== undefined),
  },
}

function pathOf(model: string, isStream: boolean): string {
  const action = isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return `/v1beta/models/${encodeURIComponent(model)}:${action}`
}

function partsOf(reply: unknown): readonly unknown[] {
  return list(dig(reply, 'candidates', 0, 'content', 'parts'))
}

function textParts(reply: unknown): readonly unknown[] {
  return partsOf(reply).map((part) => (dig(part, 'thought') === true ? '' : dig(part, 'text')))
}

function faultIn(body: unknown) {
  const error = dig(body, 'error')
  return {
    message: dig(error, 'message'),
    word: dig(error, 'status'),
    reason: dig(error, 'details', 0, 'reason'),
    field: dig(error, 'details', 0, 'metadata', 'field'),
  }
}

function follow(first: JsonObject, parts: readonly unknown[], callId: unknown): JsonObject {
  const answer = { id: callId, name: toolName, response: { result: 'sunny' } }
  const turns = [
    { role: 'model', parts },
    { role: 'user', parts: [{ functionResponse: answer }] },
  ]
  return { ...first, contents: [...list(first['contents']), ...turns] }
}

/** The token is on the call that it belongs to, otherwise on the text. */
function partList({ thought, pieces = [], call }: ScriptedReply): readonly JsonObject[] {
  const signed = thought ? { thoughtSignature: thought.token } : {}
  const said: JsonObject[] = pieces.map((text) => ({ text }))
  if (call) said.push({ functionCall: { id: call.id, name: call.name, args: call.input } })
  const last = said.pop()
  return [
    ...(thought ? [{ text: thought.text, thought: true }] : []),
    ...said,
    ...(last ? [{ ...last, ...signed }] : []),
  ]
}

function content(said: ScriptedReply): JsonObject {
  return { role: 'model', parts: partList(said) }
}

function events(said: ScriptedReply): readonly string[] {
  const report = (sofar: JsonObject) =>
    said.hasUsage === false ? {} : { usageMetadata: { ...usage, ...sofar } }
  const chunk = (part: JsonObject, fields: JsonObject, sofar: JsonObject) =>
    frame({
      candidates: [{ content: { role: 'model', parts: [part] }, ...fields, index: 0 }],
      ...report(sofar),
      modelVersion: 'theirs',
      responseId: 'r1',
    }).replaceAll('\n', '\r\n')
  return [
    ...partList(said).map((part, index) =>
      chunk(part, {}, { candidatesTokenCount: index + 1, thoughtsTokenCount: 0 }),
    ),
    chunk({ text: '' }, { finishReason: 'STOP' }, {}),
  ]
}
