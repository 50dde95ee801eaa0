import { isObject, type JsonObject } from '../../wire/json.ts'
import {
  type AnswerPart,
  type AnswerUsage,
  badRequest,
  type DemoExchange,
  type DemoProtocol,
  type DemoToolChoice,
  type DemoTurn,
  listedModel,
  type Structure,
} from './demo-protocol.ts'
import { fieldOf, listOf, positiveIntegerAt, textAt, textOf } from './json-value.ts'
import { tokensOf } from './plan-answer.ts'
import { readCall, readSchema, readTool, systemTurn } from './read-content.ts'
import { splitTokens } from './tokens.ts'

const { id, displayName, inputTokensMax, outputTokensMax } = listedModel

export const generateContent: DemoProtocol = {
  models: {
    models: [
      {
        name: `models/${id}`,
        version: '1',
        displayName,
        inputTokenLimit: inputTokensMax,
        outputTokenLimit: outputTokensMax,
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      },
    ],
  },
  newline: '\r\n',
  countField: 'totalTokens',

  encodeFault({ status, message }) {
    const statusName = status === 404 ? 'NOT_FOUND' : 'INVALID_ARGUMENT'
    return { error: { code: status, message, status: statusName } }
  },

  readQuestion(sent, call) {
    // A count request contains either the contents alone or a whole request in an envelope.
    const inner = call.action === 'count' ? eitherOf(sent, 'generateContentRequest') : undefined
    const body = isObject(inner) ? inner : sent
    const contents = looseListOf(body['contents']).flatMap(readTurns)
    if (contents.length === 0) return badRequest('contents is not specified', 'contents')
    const system = eitherOf(body, 'systemInstruction')
    const config = eitherOf(body, 'generationConfig')
    return {
      model: call.model,
      turns: [...systemTurn(system === undefined ? undefined : readParts(system)), ...contents],
      tools: looseListOf(body['tools'])
        .flatMap((tool) => listOf(eitherOf(tool, 'functionDeclarations')))
        .flatMap((declared) =>
          readTool(declared, 'parametersJsonSchema', 'parameters_json_schema', 'parameters'),
        ),
      toolChoice: readToolChoice(eitherOf(body, 'toolConfig')),
      parallelToolCalls: true,
      structure: readStructure(config),
      reasoning: eitherOf(eitherOf(config, 'thinkingConfig'), 'includeThoughts') === true,
      outputTokensMax: positiveIntegerAt(config, 'maxOutputTokens', 'max_output_tokens'),
      stream: call.isStream,
    }
  },

  encodeReply(exchange) {
    const { parts, usage } = exchange.answer
    const encoded = parts.map((part, index) => encodePart(exchange, part, index, true))
    return encodeResponse(exchange, encoded, usage, true)
  },

  *encodeEvents(exchange) {
    const { answer, question, signature } = exchange
    const usage = { input: answer.usage.input, output: 0, reasoning: 0 }
    for (const [index, part] of answer.parts.entries()) {
      const pieces =
        part.kind === 'tool-call'
          ? [part]
          : splitTokens(part.text).map((text) => ({ ...part, text }))
      for (const piece of pieces) {
        usage[piece.kind === 'reasoning' ? 'reasoning' : 'output'] += tokensOf(piece)
        const encoded = encodePart(exchange, piece, index, false)
        yield { data: encodeResponse(exchange, [encoded], usage, false), isWord: true }
      }
    }
    const isSigned = question.reasoning && answer.parts.every(({ kind }) => kind !== 'tool-call')
    const last = { text: '', thoughtSignature: isSigned ? signature : undefined }
    yield { data: encodeResponse(exchange, [last], answer.usage, true) }
  },
}

/** Every field has two spellings here: Google's service accepts both, and clients send both. */
function eitherOf(value: unknown, name: string): unknown {
  return fieldOf(
    value,
    name,
    name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`),
  )
}

/** Google's service accepts a list, one object or plain text for contents and parts. */
function looseListOf(value: unknown): readonly unknown[] {
  return typeof value === 'string' || isObject(value) ? [value] : listOf(value)
}

function partsOf(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? [content] : looseListOf(fieldOf(content, 'parts'))
}

function readTurns(content: unknown): readonly DemoTurn[] {
  const parts = partsOf(content)
  const others = parts.filter((part) => responseOf(part) === undefined)
  const results = parts.map(responseOf).filter((response) => response !== undefined)
  const role = fieldOf(content, 'role') === 'model' ? 'assistant' : 'user'
  return [
    ...(others.length === 0 ? [] : [{ role, text: others.map(readPart).join(' ') } as const]),
    ...results.map((result) => ({ role: 'tool', text: readResult(result) }) as const),
  ]
}

function readParts(content: unknown): string {
  return partsOf(content).map(readPart).join(' ')
}

function readPart(part: unknown): string {
  const text = textOf(part) ?? textAt(part, 'text')
  if (text !== undefined) return text
  const call = eitherOf(part, 'functionCall')
  return call === undefined ? '[media]' : readCall(call, 'args')
}

function responseOf(part: unknown): unknown {
  return eitherOf(part, 'functionResponse')
}

// Clients wrap plain text as `result` or `output`, because a response must be an object.
function readResult(result: unknown): string {
  const response = fieldOf(result, 'response')
  return textAt(response, 'result', 'output') ?? JSON.stringify(response ?? {})
}

function readToolChoice(toolConfig: unknown): DemoToolChoice {
  const config = eitherOf(toolConfig, 'functionCallingConfig')
  const given = textAt(config, 'mode')?.toUpperCase()
  const mode = given === 'ANY' ? 'required' : given === 'NONE' ? 'none' : 'auto'
  const allowed = listOf(eitherOf(config, 'allowedFunctionNames'))
  const names = allowed.filter((name) => typeof name === 'string')
  return names.length > 0 ? { mode, names } : { mode }
}

function readStructure(config: unknown): Structure {
  const schema = eitherOf(config, 'responseJsonSchema') ?? eitherOf(config, 'responseSchema')
  if (schema !== undefined) return readSchema(schema)
  return eitherOf(config, 'responseMimeType') === 'application/json' ? 'json-object' : 'text'
}

function encodePart(
  { question, newId, signature }: DemoExchange,
  part: AnswerPart,
  index: number,
  isWhole: boolean,
): JsonObject {
  if (part.kind === 'reasoning') return { text: part.text, thought: true }
  const encoded =
    part.kind === 'text'
      ? { text: part.text }
      : { functionCall: { id: newId('call_', index), name: part.name, args: part.arguments } }
  // Google's service signs the first part after the thoughts; in a stream, text is signed at its end.
  const isSigned = question.reasoning && index === 1 && (isWhole || part.kind === 'tool-call')
  return { ...encoded, thoughtSignature: isSigned ? signature : undefined }
}

/** One response: the whole answer, or the latest piece of a streamed one. */
function encodeResponse(
  { question, answer, newId }: DemoExchange,
  parts: readonly JsonObject[],
  usage: AnswerUsage,
  isLast: boolean,
): JsonObject {
  const { input, output, reasoning } = usage
  const content = { role: 'model', parts: parts.length > 0 ? parts : undefined }
  const finishReason = answer.finish === 'length' ? 'MAX_TOKENS' : 'STOP'
  return {
    candidates: [{ content, finishReason: isLast ? finishReason : undefined, index: 0 }],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      thoughtsTokenCount: reasoning > 0 ? reasoning : undefined,
      totalTokenCount: input + output + reasoning,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
    },
    modelVersion: question.model,
    responseId: newId('demo'),
  }
}
