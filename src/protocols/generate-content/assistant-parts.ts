import type { Opaque, Part, ToolCallPart } from '../../core/model-request.ts'
import type { ReadSignature } from './signature.ts'

/**
 * Collects what the model said. Clients send the pieces of a stream back one by one, so neighbouring texts are
 * joined. A signature in our envelope stood behind thoughts of another protocol: it goes back to them.
 */
export class AssistantParts {
  readonly parts: Part[] = []

  addThought(text: string, signature: ReadSignature | undefined): void {
    const last = this.parts.at(-1)
    const opaque = signature?.opaque
    if (last?.type === 'reasoning' && !last.opaque) {
      this.#replaceLast({ type: 'reasoning', text: last.text + text, opaque })
    } else if (text !== '' || opaque) {
      this.parts.push({ type: 'reasoning', text, opaque })
    }
  }

  addText(text: string, signature: ReadSignature | undefined): void {
    if (signature?.isSealed) this.#addSealed(signature.opaque)
    const opaque = signature?.isSealed ? undefined : signature?.opaque
    const last = this.parts.at(-1)
    if (last?.type === 'text' && !last.opaque) {
      this.#replaceLast({ type: 'text', text: last.text + text, opaque })
    } else if (text !== '') {
      this.parts.push({ type: 'text', text, opaque })
    } else if (opaque) {
      this.addThought('', signature)
    }
  }

  /** Behind thoughts the token is theirs, and what holds thoughts itself is one; otherwise a vendor has signed the call. */
  addCall(call: ToolCallPart, signature: ReadSignature | undefined): void {
    const last = this.parts.at(-1)
    const isThought = last?.type === 'reasoning' && !last.opaque
    if (signature?.isSealed && (isThought || signature.opaque.kind === 'sealed')) {
      this.#addSealed(signature.opaque)
      this.parts.push(call)
    } else this.parts.push({ ...call, opaque: signature?.opaque })
  }

  add(part: Part): void {
    this.parts.push(part)
  }

  /** A call that the vendor has answered itself is no call of the client's. */
  makeHosted(name: string, hosted: (call: ToolCallPart) => Part): void {
    const index = this.parts.findLastIndex(
      (part) => part.type === 'tool-call' && part.name === name,
    )
    const call = this.parts[index]
    if (call?.type === 'tool-call') this.parts[index] = hosted(call)
  }

  #addSealed(opaque: Opaque): void {
    const last = this.parts.at(-1)
    if (last?.type === 'reasoning' && !last.opaque) this.#replaceLast({ ...last, opaque })
    else this.parts.push({ type: 'reasoning', text: '', opaque })
  }

  #replaceLast(part: Part): void {
    this.parts[this.parts.length - 1] = part
  }
}
