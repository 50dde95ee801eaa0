import { protocols } from '../../protocols/index.ts'
import type { JsonBody } from '../../protocols/protocol.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'

/** What a template or a vendor may say of its own, before anything of the caller's. */
export const openingTokens = 128
/** What comes on top of that when there are tools: the vendor's own words about how to call them. */
const toolPreambleTokens = 512
/** What stands around a message or a part: its role, where it begins and ends. */
const tokensAroundPart = 8
/** Quotes, a colon and a comma around a name. */
const bytesAroundName = 4

/** Members that tell the upstream what to do, and are not shown to the model. */
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
/** Members that hold what was said, in any protocol. */
const spokenMembers = new Set(
  Object.values(protocols).flatMap(({ opening }) => [...opening.instructions, opening.turns]),
)
/** Inside of what was said: the words themselves, and lists of them. */
const wordMembers = new Set(['role', 'content', 'text', 'parts', 'name'])
const toolMembers = ['tools', 'functions'] as const

/**
 * How many tokens the text of a request has at most, without the JSON around it: a token is at least one byte of what
 * the model is shown. It reads everything, so it is asked for only where the wider bound could not be paid.
 */
export function tightTextTokens({ value, text, members, cuts }: JsonBody): number {
  let tokens = openingTokens
  if (toolMembers.some((name) => isFilled(value[name]))) tokens += toolPreambleTokens
  for (const [name, member] of Object.entries(value)) {
    if (spokenMembers.has(name)) tokens += wordTokens(member)
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

function wordTokens(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) {
    let tokens = 0
    for (const each of value) tokens += wordTokens(each)
    return tokens
  }
  return isObject(value) ? partTokens(value) : bytesOf(value)
}

function partTokens(part: JsonObject): number {
  let tokens = tokensAroundPart
  for (const [name, member] of Object.entries(part)) {
    // What kind of part it is decides where the words go, and is none of them.
    if (name === 'type' && typeof member === 'string') continue
    if (wordMembers.has(name)) tokens += wordTokens(member)
    else tokens += Buffer.byteLength(name) + bytesAroundName + bytesOf(member)
  }
  return tokens
}

/** What nobody has told a form of is shown as the JSON that it is. */
function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}
