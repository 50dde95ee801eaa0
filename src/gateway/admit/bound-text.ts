import { protocols } from '../../protocols/index.ts'
import type { JsonBody } from '../../protocols/request-facts.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'

/** Tokens that a template or a vendor may add before the client's text. */
export const openingTokens = 128
/** Additional tokens with tools: the vendor's instructions on how to call them. */
const toolPreambleTokens = 512
/** Tokens around a message or a part: its role, its start and its end. */
const tokensAroundPart = 8
const bytesAroundName = 4

/** Members that control the upstream and are not shown to the model. */
const unseenMembers = new Set([
  'model',
  'stream_options',
  'metadata',
  'user',
  'safety_identifier',
  'service_tier',
  'prompt_cache_key',
  'include',
  'truncation',
])
/** Members that contain instructions and turns, in any protocol. */
const contentMembers = new Set(
  Object.values(protocols).flatMap(({ opening }) => [...opening.instructions, opening.turns]),
)
/** Members inside a turn that contain text or lists of text. */
const textMembers = new Set(['role', 'content', 'text', 'parts', 'name'])
const toolMembers = ['tools', 'functions'] as const

/**
 * The most tokens that the text of a request can have, without the JSON around it: a token is at least one byte of the
 * text that the model sees. This reads the whole body, so it is used only when the money does not cover the wider
 * bound.
 */
export function tightTextTokens({ value, text, members, cuts }: JsonBody): number {
  let tokens = openingTokens
  if (toolMembers.some((name) => isFilled(value[name]))) tokens += toolPreambleTokens
  for (const [name, member] of Object.entries(value)) {
    if (contentMembers.has(name)) tokens += contentTokens(member)
    else if (isShown(name, member)) {
      const span = members.get(name)
      tokens += Buffer.byteLength(name) + bytesAroundName
      const written = span ? text.slice(span.valueStart, span.valueEnd) : ''
      tokens += cuts ? cuts.byteLengthOf(written) : Buffer.byteLength(written)
    }
  }
  return tokens
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0
}

function isShown(name: string, member: unknown): boolean {
  const isSwitch = typeof member === 'number' || typeof member === 'boolean' || member === null
  return !isSwitch && !unseenMembers.has(name)
}

function contentTokens(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) {
    let tokens = 0
    for (const each of value) tokens += contentTokens(each)
    return tokens
  }
  return isObject(value) ? partTokens(value) : bytesOf(value)
}

function partTokens(part: JsonObject): number {
  let tokens = tokensAroundPart
  for (const [name, member] of Object.entries(part)) {
    // The type of a part decides where its text goes; the model does not see the type itself.
    if (name === 'type' && typeof member === 'string') continue
    if (textMembers.has(name)) tokens += contentTokens(member)
    else tokens += Buffer.byteLength(name) + bytesAroundName + bytesOf(member)
  }
  return tokens
}

/** A value of unknown form is counted as JSON, because the model may see it as JSON. */
function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}
