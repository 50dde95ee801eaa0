import type {
  Opaque,
  Part,
  TextPart,
  ToolResultPart,
  Turn,
} from '../../../core/neutral/model-request.ts'

interface OpenTurn {
  readonly role: Turn['role']
  readonly parts: Part[]
}

/** Collects items into turns: consecutive items of the assistant form one turn, and so do consecutive results. */
export class TurnList {
  readonly system: TextPart[]
  readonly turns: OpenTurn[] = []
  #opaqueForNext: Opaque | undefined

  constructor(instructions: readonly TextPart[]) {
    this.system = [...instructions]
  }

  /** An empty user message is still a turn: without it, the model would continue its own last message. */
  user(parts: readonly Part[]): void {
    this.#begin('user', parts.length > 0 ? parts : [{ type: 'text', text: '' }])
  }

  /** Instructions before the conversation are kept apart from instructions within it. */
  instruct(parts: readonly Part[]): void {
    const texts = parts.filter((part) => part.type === 'text')
    if (this.turns.length === 0) for (const text of texts) this.system.push(text)
    else if (texts.length > 0) this.#begin('system', texts)
  }

  assistant(parts: readonly Part[]): void {
    if (parts.length === 0) return
    const last = this.turns.at(-1)
    if (last?.role === 'assistant') for (const part of parts) last.parts.push(this.#sign(part))
    else this.turns.push({ role: 'assistant', parts: parts.map((part) => this.#sign(part)) })
  }

  result(part: ToolResultPart): void {
    // A turn that ends in a result contains only results: a user message begins its own turn.
    const last = this.turns.at(-1)
    if (last?.role === 'user' && last.parts.at(-1)?.type === 'tool-result') last.parts.push(part)
    else this.#begin('user', [part])
  }

  /** A signature in its own item, before the call that it belongs to. */
  signNext(opaque: Opaque): void {
    this.#opaqueForNext = opaque
  }

  /** A signature in its own item, after the part that it belongs to. */
  signLast(opaque: Opaque): void {
    const last = this.turns.at(-1)
    const part = last?.role === 'assistant' ? last.parts.at(-1) : undefined
    if (last && (part?.type === 'text' || part?.type === 'tool-call')) {
      last.parts[last.parts.length - 1] = { ...part, opaque }
    } else this.assistant([{ type: 'text', text: '', opaque }])
  }

  #begin(role: Turn['role'], parts: readonly Part[]): void {
    this.#opaqueForNext = undefined
    this.turns.push({ role, parts: [...parts] })
  }

  #sign(part: Part): Part {
    const opaque = this.#opaqueForNext
    if (!opaque || part.type !== 'tool-call') return part
    this.#opaqueForNext = undefined
    return { ...part, opaque }
  }
}
