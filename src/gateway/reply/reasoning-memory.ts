import type { CarriedReasoning } from '../../protocols/fit/carry-reasoning.ts'

const entriesMax = 20_000
const charactersMax = 64 * 1024 * 1024
const keptMs = 6 * 60 * 60 * 1000

interface Entry {
  readonly remembered: CarriedReasoning
  readonly characters: number
  readonly untilMs: number
}

/**
 * Reasoning and its signatures by API key and tool call, for clients that do not send them back. Local to this process;
 * each upstream protocol can continue without them.
 */
export class ReasoningMemory {
  readonly #entries = new Map<string, Entry>()
  readonly #nowMs: () => number
  #characters = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  keep(keyId: string, callId: string, remembered: CarriedReasoning): void {
    const name = nameOf(keyId, callId)
    this.#forget(name)
    const characters = sizeOf(remembered)
    if (characters > charactersMax / 16) return
    this.#entries.set(name, { remembered, characters, untilMs: this.#nowMs() + keptMs })
    this.#characters += characters
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= entriesMax && this.#characters <= charactersMax) break
      this.#forget(oldest)
    }
  }

  find(keyId: string, callId: string): CarriedReasoning | undefined {
    const name = nameOf(keyId, callId)
    const entry = this.#entries.get(name)
    if (!entry) return undefined
    if (entry.untilMs > this.#nowMs()) return entry.remembered
    this.#forget(name)
    return undefined
  }

  get size(): number {
    return this.#entries.size
  }

  #forget(name: string): void {
    const entry = this.#entries.get(name)
    if (!entry) return
    this.#entries.delete(name)
    this.#characters -= entry.characters
  }
}

function nameOf(keyId: string, callId: string): string {
  return `${keyId}\n${callId}`
}

function sizeOf({ reasoning, opaque }: CarriedReasoning): number {
  let characters = opaque?.data.length ?? 0
  for (const part of reasoning) characters += part.text.length + (part.opaque?.data.length ?? 0)
  return characters
}
