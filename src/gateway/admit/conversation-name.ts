import type { ConversationOpening } from '../../protocols/protocol.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'

/** The headers in which coding agents send their session id. */
const sessionHeaders = [
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'x-session-id',
  'x-session-affinity',
] as const

const nameLengthMax = 200
/** The start of a conversation distinguishes it from others well before this length. */
const charactersMax = 8_192

/** A name that the requests of one conversation share: the client's session name, or a hash of the first turns. */
export function conversationName(
  headers: Headers,
  body: JsonObject,
  opening: ConversationOpening,
): string {
  const cacheKey = body['prompt_cache_key']
  if (isName(cacheKey)) return `cache ${cacheKey.slice(0, nameLengthMax)}`
  for (const header of sessionHeaders) {
    const session = headers.get(header)
    if (isName(session)) return `session ${session.slice(0, nameLengthMax)}`
  }
  const metadata = body['metadata']
  const user = isObject(metadata) ? metadata['user_id'] : undefined
  if (isName(user)) return `user ${user.slice(0, nameLengthMax)}`
  return `turns ${hashOfFirstTurns(body, opening)}`
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Hashes the instructions and the turns up to the first one of the user. */
function hashOfFirstTurns(body: JsonObject, opening: ConversationOpening): string {
  const hash = new TextHash()
  for (const name of opening.instructions) hash.feed(body[name])
  const turns = body[opening.turns]
  if (!Array.isArray(turns)) hash.feed(turns)
  else {
    for (const turn of turns) {
      hash.feed(turn)
      // Google's protocol allows a single turn without a role.
      if (isObject(turn) && (turn['role'] === 'user' || turn['role'] === undefined)) break
    }
  }
  return hash.text()
}

/** Distinguishes the conversations of one key. After a collision two conversations merely share an upstream. */
class TextHash {
  #left = charactersMax
  #high = 0xdeadbeef
  #low = 0x41c6ce57

  feed(value: unknown): void {
    if (this.#left <= 0) return
    if (typeof value === 'string') this.#mix(value)
    else if (Array.isArray(value)) for (const each of value) this.feed(each)
    else if (isObject(value)) {
      for (const name in value) {
        // The cache marker moves from turn to turn.
        if (name !== 'cache_control') this.feed(value[name])
      }
    }
  }

  text(): string {
    return (this.#high >>> 0).toString(36) + (this.#low >>> 0).toString(36)
  }

  #mix(text: string): void {
    const length = Math.min(text.length, this.#left)
    this.#left -= length + 1
    for (let index = 0; index < length; index += 1) {
      const code = text.charCodeAt(index)
      this.#high = Math.imul(this.#high ^ code, 0x9e3779b1)
      this.#low = Math.imul(this.#low ^ code, 0x5f356495)
    }
    this.#high = Math.imul(this.#high ^ (this.#low >>> 15), 0x85ebca6b)
    this.#low = Math.imul(this.#low ^ (this.#high >>> 13), 0xc2b2ae35)
  }
}
