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
  readonly #model: string
  readonly #headers: Headers
  readonly #body: JsonBody
  readonly #opening: ConversationOpening
  #name: string | undefined

  constructor(
    memory: StickyMemory,
    whose: { keyId: string; model: string },
    headers: Headers,
    body: JsonBody,
    opening: ConversationOpening,
  ) {
    this.#memory = memory
    this.#keyId = whose.keyId
    this.#model = whose.model
    this.#headers = headers
    this.#body = body
    this.#opening = opening
  }

  place(nowMs: number): ConversationTarget | undefined {
    this.#name ??= `${this.#keyId}\n${this.#model}\n${this.#openingHash()}`
    return this.#memory.find(this.#name, nowMs)
  }

  #openingHash(): string {
    return conversationName(this.#headers, this.#body.value, this.#opening)
  }

  /** Remembers the candidate that answers, so that later requests of the conversation go there. */
  keep({ route, credential }: Candidate, nowMs: number): void {
    if (this.#name === undefined) return
    const target = { upstreamId: route.upstream.id, credentialId: credential?.id }
    this.#memory.keep(this.#name, target, nowMs)
  }
}
