import type { Opaque, Part, ToolCallPart } from '../../core/model-request.ts'
import type { ReadSignature } from './signature.ts'

/**
 * Collects what the model said. Clients send the pieces of a stream back one by one, so neighbouring texts are
 * joined. The token of thoughts of another protocol comes back on a later part: it goes back to them.
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
    if (!signature?.isOfThoughts) this.parts.push({ ...call, opaque: signature?.opaque })
    else {
      this.#signThoughts(signature.opaque)
      this.parts.push(call)
    }
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

  /** Thoughts stand before all that was said in the step; a client that sends none back leaves their place empty. */
  #signThoughts(opaque: Opaque): void {
    const begin = this.parts.findLastIndex((part) => part.type === 'tool-call') + 1
    const last = this.parts.findLastIndex((part) => part.type === 'reasoning')
    const thought = last < begin ? undefined : this.parts[last]
    if (thought?.type === 'reasoning' && !thought.opaque) this.parts[last] = { ...thought, opaque }
    else {
      const place = Math.max(begin, last + 1)
      this.parts.splice(place, 0, { type: 'reasoning', text: '', opaque })
    }
  }

  #replaceLast(part: Part): void {
    this.parts[this.parts.length - 1] = part
  }
}
