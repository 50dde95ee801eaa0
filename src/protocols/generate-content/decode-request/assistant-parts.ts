import type { Opaque, Part, ToolCallPart } from '../../../core/neutral/model-request.ts'
import type { ReadSignature } from '../values/opaque.ts'

/**
 * Collects the parts of the model's turn. Clients send the pieces of a stream back one by one, so neighbouring texts
 * are joined. A token of another protocol's reasoning comes back on a later part and is moved to the reasoning.
 */
export class AssistantParts {
  readonly parts: Part[] = []
  /** The positions of calls. No part is ever inserted before a call, so these positions do not change. */
  readonly #calls: number[] = []
  readonly #callsByName = new Map<string, number[]>()
  #lastThought = -1

  addThought(text: string, signature: ReadSignature | undefined): void {
    const last = this.parts.at(-1)
    const opaque = signature?.opaque
    if (last?.type === 'reasoning' && !last.opaque) {
      this.#replaceLast({ type: 'reasoning', text: last.text + text, opaque })
    } else if (text !== '' || opaque) {
      this.#lastThought = this.parts.push({ type: 'reasoning', text, opaque }) - 1
    }
  }

  addText(text: string, signature: ReadSignature | undefined): void {
    if (signature?.isOfThoughts) this.#signThoughts(signature.opaque)
    const opaque = signature?.isOfThoughts ? undefined : signature?.opaque
    const last = this.parts.at(-1)
    if (last?.type === 'text' && !last.opaque) {
      this.#replaceLast({ type: 'text', text: last.text + text, opaque })
    } else if (text !== '') {
      this.parts.push({ type: 'text', text, opaque })
    } else if (opaque) {
      this.addThought('', signature)
    }
  }

  addCall(call: ToolCallPart, signature: ReadSignature | undefined): void {
    if (signature?.isOfThoughts) this.#signThoughts(signature.opaque)
    const part = signature?.isOfThoughts ? call : { ...call, opaque: signature?.opaque }
    const at = this.parts.push(part) - 1
    this.#calls.push(at)
    const named = this.#callsByName.get(call.name)
    if (named) named.push(at)
    else this.#callsByName.set(call.name, [at])
  }

  add(part: Part): void {
    this.parts.push(part)
  }

  /** A call that the vendor has answered itself is not a call for the client. */
  makeHosted(name: string, hosted: (call: ToolCallPart) => Part): void {
    const index = this.#callsByName.get(name)?.pop() ?? -1
    const call = this.parts[index]
    if (call?.type === 'tool-call') this.parts[index] = hosted(call)
  }

  /**
   * Reasoning comes before everything else in the step. A client that does not return reasoning leaves its position
   * empty.
   */
  #signThoughts(opaque: Opaque): void {
    const begin = this.#lastCall() + 1
    const last = this.#lastThought
    const thought = last < begin ? undefined : this.parts[last]
    if (thought?.type === 'reasoning' && !thought.opaque) this.parts[last] = { ...thought, opaque }
    else {
      const position = Math.max(begin, last + 1)
      this.parts.splice(position, 0, { type: 'reasoning', text: '', opaque })
      this.#lastThought = position
    }
  }

  #lastCall(): number {
    // A call that became the vendor's own no longer counts as a call.
    while (this.#calls.length > 0 && this.parts[this.#calls.at(-1) ?? -1]?.type !== 'tool-call') {
      this.#calls.pop()
    }
    return this.#calls.at(-1) ?? -1
  }

  #replaceLast(part: Part): void {
    this.parts[this.parts.length - 1] = part
  }
}
