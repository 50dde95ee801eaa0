import type { ConversationOpening } from '../../protocols/protocol.ts'
import type { JsonBody } from '../../protocols/request-facts.ts'
import type { ConversationLookup, ConversationTarget } from '../../routing/plan-params.ts'
import type { Candidate } from '../../routing/route-set.ts'
import type { StickyMemory } from '../../routing/sticky-memory.ts'
import { conversationName } from './conversation-name.ts'

/**
 * The conversation that a request belongs to, for stickiness. Its name is computed only when a plan asks for it: with
 * one upstream and one credential no plan does.
 */
export class RequestConversation implements ConversationLookup {
  readonly #memory: StickyMemory
  readonly #keyId: string
  readonly #headers: Headers
  readonly #body: JsonBody
  readonly #opening: ConversationOpening
  #name: string | undefined

  constructor(
    memory: StickyMemory,
    keyId: string,
    headers: Headers,
    body: JsonBody,
    opening: ConversationOpening,
  ) {
    this.#memory = memory
    this.#keyId = keyId
    this.#headers = headers
    this.#body = body
    this.#opening = opening
  }

  place(model: string, nowMs: number): ConversationTarget | undefined {
    this.#name ??= conversationName(this.#headers, this.#body.value, this.#opening)
    return this.#memory.find(this.#at(model, this.#name), nowMs)
  }

  /** Remembers the candidate that answers, so that later requests of the conversation go there. */
  keep({ model, route, credential }: Candidate, nowMs: number): void {
    if (this.#name === undefined) return
    const target = { upstreamId: route.upstream.id, credentialId: credential?.id }
    this.#memory.keep(this.#at(model.id, this.#name), target, nowMs)
  }

  /** A fallback model has a place of its own: the conversation later returns to that of the requested model. */
  #at(model: string, name: string): string {
    return `${this.#keyId}\n${model}\n${name}`
  }
}
