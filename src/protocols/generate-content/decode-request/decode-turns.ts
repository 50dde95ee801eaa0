import { Fault } from '../../../core/fault.ts'
import type {
  HostedPart,
  Part,
  ToolCallPart,
  Turn,
  TurnRole,
} from '../../../core/neutral/model-request.ts'
import { RawJson, writeJson } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { argumentsOf } from '../values/call-arguments.ts'
import { nativeIssuer, readSignature } from '../values/opaque.ts'
import { listOrSingle, nonEmptyTextOf, objectOf, textOf } from '../values/read-field.ts'
import { AssistantParts } from './assistant-parts.ts'
import { decodeMedia } from './decode-media.ts'
import { decodeResult } from './decode-result.ts'
import { UnansweredCalls } from './unanswered-calls.ts'

const roles: Readonly<Record<string, TurnRole>> = {
  user: 'user',
  function: 'user',
  tool: 'user',
  model: 'assistant',
  assistant: 'assistant',
}

/** The conversation. Neighbouring contents of the model form one turn, because clients keep a stream piece by piece. */
export function decodeTurns(contents: unknown): Turn[] {
  const calls = new UnansweredCalls()
  const turns: Turn[] = []
  let assistant: AssistantParts | undefined
  listOrSingle(contents).forEach((content, index) => {
    const path = `contents[${index}]`
    const role = readRole(content, path)
    const parts = partsOf(content)
    if (role === 'assistant') {
      const current = assistant ?? new AssistantParts()
      if (!assistant) turns.push({ role, parts: current.parts })
      assistant = current
      decodeModelParts(parts, current, calls, index)
    } else {
      assistant = undefined
      turns.push({ role, parts: decodeUserParts(parts, calls, path, index) })
    }
  })
  return turns.filter((turn) => turn.parts.length > 0)
}

/** The parts of a content. The service also accepts a single part, and its libraries accept plain text. */
export function partsOf(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return [{ text: content }]
  const parts = isObject(content) ? listOrSingle(content['parts']) : []
  return parts.map((part) => (isObject(part) ? part : { text: part }))
}

function readRole(content: unknown, path: string): TurnRole {
  const name = isObject(content) ? (content['role'] ?? undefined) : undefined
  if (name === undefined || name === '') return 'user'
  const role = typeof name === 'string' ? roles[name.toLowerCase()] : undefined
  if (role) return role
  throw new Fault('invalid_request', `The field "${path}.role" must be "user" or "model".`, {
    param: `${path}.role`,
  })
}

function decodeModelParts(
  parts: readonly JsonObject[],
  assistant: AssistantParts,
  calls: UnansweredCalls,
  turn: number,
): void {
  parts.forEach((part, index) => {
    const signature = readSignature(part)
    const text = textOf(part, 'text')
    const call = objectOf(part, 'functionCall')
    const answer = objectOf(part, 'functionResponse')
    if (text !== undefined) {
      if (part['thought'] === true) assistant.addThought(text, signature)
      else assistant.addText(text, signature)
    } else if (call) {
      const decoded = decodeCall(call, `call_${turn}_${index}`)
      calls.add(decoded.id, decoded.name)
      assistant.addCall(decoded, signature)
    } else if (answer) {
      const name = textOf(answer, 'name') ?? ''
      calls.answer(textOf(answer, 'id'), name)
      assistant.makeHosted(name, (asked) => hostedCall(asked, textOf(answer, 'id')))
      assistant.add(hosted(part))
    } else {
      const media = decodeMedia(part)
      if (media) assistant.add(media)
      else if (signature && Object.keys(part).length === 1) assistant.addText('', signature)
      else if (Object.keys(part).length > 0) assistant.add(hosted(part))
    }
  })
}

function decodeUserParts(
  parts: readonly JsonObject[],
  calls: UnansweredCalls,
  path: string,
  turn: number,
): Part[] {
  const isEmpty = parts.length > 0 && parts.every((part) => textOf(part, 'text') === '')
  // An empty turn is still a turn: without it, the model would continue its own last message.
  if (isEmpty) return [{ type: 'text', text: '' }]
  return parts.flatMap((part, index): Part[] => {
    const text = textOf(part, 'text')
    if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }]
    const response = objectOf(part, 'functionResponse')
    if (response) {
      const name = textOf(response, 'name') ?? ''
      const id = textOf(response, 'id')
      const callId = calls.answer(id, name) ?? id ?? `result_${turn}_${index}`
      return [decodeResult(response, callId)]
    }
    if (objectOf(part, 'functionCall')) {
      throw new Fault(
        'invalid_request',
        `The field "${path}.parts[${index}].functionCall" must be in a content with the role "model".`,
        { param: `${path}.parts[${index}].functionCall` },
      )
    }
    const media = decodeMedia(part)
    if (media) return [media]
    return Object.keys(part).length > 0 ? [hosted(part)] : []
  })
}

/** A call without an id gets an id from its position, so that the same history gives the same id. */
function decodeCall(call: JsonObject, fallbackId: string): ToolCallPart {
  return {
    type: 'tool-call',
    id: nonEmptyTextOf(call, 'id') ?? fallbackId,
    name: textOf(call, 'name') ?? '',
    form: 'function',
    argumentsText: argumentsOf(call),
  }
}

function hosted(part: JsonObject): HostedPart {
  return { type: 'hosted', protocol: 'generate-content', json: writeJson(part) }
}

function hostedCall({ name, argumentsText, opaque }: ToolCallPart, id?: string): HostedPart {
  const thoughtSignature = opaque?.issuer === nativeIssuer ? opaque.data : undefined
  return hosted({
    functionCall: { id, name, args: new RawJson(argumentsText) },
    thoughtSignature,
  })
}
