import type { MediaSource, Opaque } from '../../../core/neutral/model-request.ts'
import { sealOpaqueAsBase64 } from '../../fit/seal-opaque.ts'
import { encodeArguments } from '../values/call-arguments.ts'
import { sealForThoughts } from '../values/opaque.ts'

export interface WrittenCall {
  readonly id: string
  readonly name: string
  readonly form: 'function' | 'custom'
  readonly argumentsText: string
}

/** The last written part, which may still get a signature. */
interface Held {
  readonly text: string
  readonly isReasoning: boolean
}

/**
 * Writes the parts of one answer as JSON text, for a stream and for a whole reply. Each method returns the parts to
 * write now. This protocol signs the part after the reasoning, so the token of the reasoning waits for the next call.
 * If no call follows, a whole reply puts the token on its last text; a stream, which has already sent its text, sends
 * the token alone after it. In a whole reply, a part without text would make Google's chat classes forget the
 * conversation.
 */
export class ContentPartWriter {
  readonly #isWhole: boolean
  /** Only in a whole reply. */
  #held: Held | undefined
  /** The token of reasoning that has ended. */
  #waiting: Opaque | undefined
  #hasTextSince = false

  constructor({ isWhole }: { readonly isWhole: boolean }) {
    this.#isWhole = isWhole
  }

  /** Whether the last text is still held. It becomes the next part. */
  get isHolding(): boolean {
    return this.#held !== undefined
  }

  thought(text: string): string[] {
    if (text === '') return []
    const before = this.#waiting ? this.flush() : []
    return [...before, ...this.#writeText(text, true)]
  }

  endThought(opaque: Opaque | undefined): string[] {
    if (!opaque) return []
    const before = this.#waiting ? this.flush() : []
    this.#waiting = opaque
    this.#hasTextSince = false
    return before
  }

  text(text: string, opaque?: Opaque): string[] {
    if (opaque) return [...this.flush(), textPart(text, false, sealOpaqueAsBase64(opaque))]
    if (text === '') return []
    this.#hasTextSince = true
    return this.#writeText(text, false)
  }

  call(call: WrittenCall, opaque: Opaque | undefined): string[] {
    const { args } = encodeArguments(call.argumentsText, call.form)
    const id = JSON.stringify(call.id)
    const name = JSON.stringify(call.name)
    const member = `"functionCall":{"id":${id},"name":${name},"args":${args.text}}`
    const waiting = opaque ? undefined : this.#take()
    if (!waiting) return this.#signed(member, opaque)
    return [...this.#release(), `{${member}${signatureMember(sealForThoughts(waiting))}}`]
  }

  /** Media that only their own vendor can resolve are dropped. */
  media(mime: string, source: MediaSource, opaque?: Opaque): string[] {
    const mimeType = JSON.stringify(mime)
    switch (source.type) {
      case 'base64': {
        const data = JSON.stringify(source.data)
        return this.#signed(`"inlineData":{"mimeType":${mimeType},"data":${data}}`, opaque)
      }
      case 'url': {
        const fileUri = JSON.stringify(source.url)
        return this.#signed(`"fileData":{"mimeType":${mimeType},"fileUri":${fileUri}}`, opaque)
      }
      case 'text':
      case 'file':
        return []
    }
  }

  hosted(protocol: string, json: string): string[] {
    return protocol === 'generate-content' ? [...this.#release(), json] : []
  }

  /** The held part with the token that waits for it. Without a held part, the token comes alone. */
  flush(): string[] {
    const waiting = this.#take()
    if (!waiting) return this.#release()
    const isReasoning = !this.#hasTextSince
    const seal = isReasoning ? sealOpaqueAsBase64 : sealForThoughts
    return this.#signHeld(isReasoning, seal(waiting))
  }

  #writeText(text: string, isReasoning: boolean): string[] {
    if (!this.#isWhole) return [textPart(text, isReasoning, undefined)]
    const before = this.#release()
    this.#held = { text, isReasoning }
    return before
  }

  #signHeld(isReasoning: boolean, signature: string): string[] {
    const held = this.#held
    if (held?.isReasoning !== isReasoning) {
      return [...this.#release(), textPart('', isReasoning, signature)]
    }
    this.#held = undefined
    return [textPart(held.text, isReasoning, signature)]
  }

  #signed(member: string, opaque: Opaque | undefined): string[] {
    if (!opaque) return [...this.#release(), `{${member}}`]
    return [...this.flush(), `{${member}${signatureMember(sealOpaqueAsBase64(opaque))}}`]
  }

  #release(): string[] {
    const held = this.#held
    this.#held = undefined
    return held ? [textPart(held.text, held.isReasoning, undefined)] : []
  }

  #take(): Opaque | undefined {
    const waiting = this.#waiting
    this.#waiting = undefined
    return waiting
  }
}

function textPart(text: string, isReasoning: boolean, signature: string | undefined): string {
  const thought = isReasoning ? ',"thought":true' : ''
  return `{"text":${JSON.stringify(text)}${thought}${signatureMember(signature)}}`
}

function signatureMember(signature: string | undefined): string {
  return signature === undefined ? '' : `,"thoughtSignature":"${signature}"`
}
