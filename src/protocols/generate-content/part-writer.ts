import type { MediaSource, Opaque } from '../../core/model-request.ts'
import { sealOpaqueAsBase64 } from '../seal-opaque.ts'
import { encodeArguments } from './encode-arguments.ts'

export interface WrittenCall {
  readonly id: string
  readonly name: string
  readonly form: 'function' | 'custom'
  readonly argumentsText: string
}

/**
 * Writes the parts of one answer as JSON text, for a stream and for a whole reply. This protocol signs the part
 * after the thoughts, so the token of a thought waits for the next part; where none comes it goes out alone.
 * Each method gives the parts that are to be written now.
 */
export class PartWriter {
  #waiting: string | undefined

  thought(text: string): string[] {
    return text === '' ? [] : [...this.flush(), textPart(text, true, undefined)]
  }

  endThought(opaque: Opaque | undefined): string[] {
    if (!opaque) return []
    const before = this.flush()
    this.#waiting = sealOpaqueAsBase64(opaque)
    return before
  }

  text(text: string, opaque?: Opaque): string[] {
    if (opaque) return [...this.flush(), textPart(text, false, sealOpaqueAsBase64(opaque))]
    return text === '' ? [] : [textPart(text, false, this.#take())]
  }

  call(call: WrittenCall, opaque: Opaque | undefined): string[] {
    const { args } = encodeArguments(call.argumentsText, call.form)
    const id = JSON.stringify(call.id)
    const name = JSON.stringify(call.name)
    return this.#signed(`"functionCall":{"id":${id},"name":${name},"args":${args.text}}`, opaque)
  }

  /** What can only be told by a reference that nobody else understands is left out. */
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
    return protocol === 'generate-content' ? [json] : []
  }

  /** The token that still waits, alone. */
  flush(): string[] {
    const signature = this.#take()
    return signature === undefined ? [] : [textPart('', true, signature)]
  }

  #signed(member: string, opaque: Opaque | undefined): string[] {
    const before = opaque ? this.flush() : []
    const signature = opaque ? sealOpaqueAsBase64(opaque) : this.#take()
    return [...before, `{${member}${signatureMember(signature)}}`]
  }

  #take(): string | undefined {
    const waiting = this.#waiting
    this.#waiting = undefined
    return waiting
  }
}

function textPart(text: string, isThought: boolean, signature: string | undefined): string {
  const thought = isThought ? ',"thought":true' : ''
  return `{"text":${JSON.stringify(text)}${thought}${signatureMember(signature)}}`
}

function signatureMember(signature: string | undefined): string {
  return signature === undefined ? '' : `,"thoughtSignature":"${signature}"`
}
