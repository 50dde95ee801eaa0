import type { JsonObject } from '../../../src/wire/json.ts'
import { generateContent } from '../../support/protocols/generate-content.ts'
import { dig, frame, list } from '../../support/protocols/test-protocol.ts'
import { type Answer, type AnsweredCall, faultMessage, type Image, type Script } from './answer.ts'
import { choiceOf } from './choice-of.ts'
import { requireThat } from './require-that.ts'

const { usage } = generateContent

export const generateScript: Script = {
  protocol: 'generate-content',
  whole: (answer) => JSON.stringify(response(parts(answer), ending(answer))),
  frames: (answer) => [
    ...parts(answer).map((part) => chunk([part], {})),
    chunk(answer.refusal ? [] : [{ text: '' }], ending(answer)),
  ],
  faultFrame: frame({ error: { code: 500, message: faultMessage, status: 'INTERNAL' } }),
  readCalls,
  readImages: (body) =>
    list(dig(body, 'contents'))
      .flatMap((content) => list(dig(content, 'parts')))
      .filter((part) => dig(part, 'inlineData') !== undefined)
      .map(
        (part): Image => ({
          mime: String(dig(part, 'inlineData', 'mimeType')),
          data: String(dig(part, 'inlineData', 'data')),
        }),
      ),
  readSchema: (body) => {
    const config = dig(body, 'generationConfig')
    requireThat(dig(config, 'responseMimeType') === 'application/json', 'a schema needs its type')
    return dig(config, 'responseJsonSchema') ?? dig(config, 'responseSchema')
  },
  readTools: (body) =>
    list(dig(body, 'tools'))
      .flatMap((tool) => list(dig(tool, 'functionDeclarations')))
      .map((declared) => dig(declared, 'name')),
  readChoice: (body) => {
    if (list(dig(body, 'tools')).length === 0) return 'never'
    const config = dig(body, 'toolConfig', 'functionCallingConfig')
    const names = list(dig(config, 'allowedFunctionNames'))
    requireThat(names.length < 2, 'one function that must be called')
    return choiceOf(names[0] ?? dig(config, 'mode'))
  },
  readSystem: (body) => dig(body, 'systemInstruction', 'parts', 0, 'text'),
  readLimit: (body) => dig(body, 'generationConfig', 'maxOutputTokens'),
}

function ending({ isCutShort, refusal }: Answer): JsonObject {
  if (refusal) return { finishReason: 'SAFETY', finishMessage: refusal }
  return { finishReason: isCutShort ? 'MAX_TOKENS' : 'STOP' }
}

/** The token is on the first call, otherwise on the last text. Calls have no ids in this family. */
function parts({ thought, pieces = [], calls = [] }: Answer): readonly JsonObject[] {
  const signed = thought ? { thoughtSignature: thought.token } : {}
  return [
    ...(thought ? [{ text: thought.text, thought: true }] : []),
    ...pieces.map((text, index) => ({
      text,
      ...(index === pieces.length - 1 && calls.length === 0 ? signed : {}),
    })),
    ...calls.map(({ name, input }, index) => ({
      functionCall: { name, args: input },
      ...(index === 0 ? signed : {}),
    })),
  ]
}

function response(said: readonly JsonObject[], fields: JsonObject): JsonObject {
  const content = said.length > 0 ? { content: { role: 'model', parts: said } } : {}
  return {
    candidates: [{ ...content, ...fields, index: 0 }],
    usageMetadata: usage,
    modelVersion: 'theirs',
    responseId: 'r1',
  }
}

function chunk(said: readonly JsonObject[], fields: JsonObject): string {
  return frame(response(said, fields)).replaceAll('\n', '\r\n')
}

/** Google's own SDK sends the empty text at the end of a stream back as a turn, which is ignored. */
function isSaying(content: unknown): boolean {
  const parts = list(dig(content, 'parts'))
  return !parts.every((part) => dig(part, 'text') === '' && Object.keys(part ?? {}).length === 1)
}

/** The responses are in the content right after the calls, in their order, by name. */
function readCalls(body: unknown): readonly AnsweredCall[] {
  const contents = list(dig(body, 'contents')).filter(isSaying)
  const callsOf = (content: unknown) =>
    list(dig(content, 'parts')).flatMap((part) => dig(part, 'functionCall') ?? [])
  const at = contents.findLastIndex((content) => callsOf(content).length > 0)
  const results = list(dig(contents[at + 1], 'parts')).flatMap(
    (part) => dig(part, 'functionResponse') ?? [],
  )
  requireThat(dig(contents[at], 'role') === 'model', 'calls stand in the model’s content')
  requireThat(dig(contents[at + 1], 'role') === 'user', 'responses stand in the user’s content')
  return callsOf(contents[at]).map((call, index) => {
    const result = results[index]
    requireThat(
      dig(result, 'name') === dig(call, 'name'),
      'responses are in the order of the calls',
    )
    const response = dig(result, 'response')
    requireThat(typeof response === 'object' && response !== null, 'a response is an object')
    return {
      name: String(dig(call, 'name')),
      input: dig(call, 'args') as JsonObject,
      // Clients of this protocol choose the member; all of these occur.
      result: dig(response, 'result') ?? dig(response, 'content') ?? dig(response, 'output'),
    }
  })
}
