import type { MediaSource, Opaque } from '../../core/model-request.ts'
import { sealOpaqueAsBase64 } from '../seal-opaque.ts'
import { encodeArguments } from './encode-arguments.ts'
import { sealForThoughts } from './signature.ts'

export interface WrittenCall {
  readonly id: string
  readonly name: string
  readonly form: 'function' | 'custom'
  readonly argumentsText: string
}

/**
 * Writes the parts of one answer as JSON text, for a stream and for a whole reply. This protocol signs the call
 * after the thoughts, so the token of a thought waits for the next call; where none comes it goes out alone.
 * Each method gives the parts that are to be written now.
 */
export class PartWriter {
  /** Of thoughts that are over. */
  #waiting: Opaque | undefined
  #hasSpokenSince = false

  thought(text: string): string[] {
    return text === '' ? [] : [...this.flush(), textPart(text, true, undefined)]
  }

  endThought(opaque: Opaque | undefined): string[] {
    if (!opaque) return []
    const before = this.flush()
    this.#waiting = opaque
    this.#hasSpokenSince = false
    return before
  }

  text(text: string, opaque?: Opaque): string[] {
    if (opaque) return [...this.flush(), textPart(text, false, sealOpaqueAsBase64(opaque))]
    if (text === '') return []
    this.#hasSpokenSince = true
    return [textPart(text, false, undefined)]
  }

  call(call: WrittenCall, opaque: Opaque | undefined): string[] {
    const { args } = encodeArguments(call.argumentsText, call.form)
    const id = JSON.stringify(call.id)
    const name = JSON.stringify(call.name)
    const member = `"functionCall":{"id":${id},"name":${name},"args":${args.text}}`
    const waiting = opaque ? undefined : this.#take()
    if (!waiting) return this.#signed(member, opaque)
    return [`{${member}${signatureMember(sealForThoughts(waiting))}}`]
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

  /** The token that still waits, alone: as the service does it after text, else as thoughts without words. */
  flush(): string[] {
    const waiting = this.#take()
    if (!waiting) return []
    return this.#hasSpokenSince
      ? [textPart('', false, sealForThoughts(waiting))]
      : [textPart('', true, sealOpaqueAsBase64(waiting))]
  }

  #signed(member: string, opaque: Opaque | undefined): string[] {
    if (!opaque) return [`{${member}}`]
    return [...this.flush(), `{${member}${signatureMember(sealOpaqueAsBase64(opaque))}}`]
  }

  #take(): Opaque | undefined {
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
