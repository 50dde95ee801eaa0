import { isObject } from '../wire/json.ts'

/** What of a request's input its bytes do not bound. Everything else is text: it has at most a token for each byte. */
export interface InputMeasure {
  /** Images that stand in the body. */
  readonly images: number
  /** Images of which the body has only the address. */
  readonly imageAddresses: number
  /** How many bytes of the body are such images and no text. */
  readonly mediaBytes: number
  /** What the vendor puts into the prompt for tools that it knows by name. */
  readonly toolTokens: number
  /** Something that only the upstream sees, or whose size its bytes do not tell: only the model's window bounds it. */
  readonly isOpen: boolean
  /** It goes on from an earlier response, which stands in front of it at the upstream. */
  readonly goesOn: boolean
}

/** Text and nothing else, as nearly all requests are. */
export const plainInput: InputMeasure = {
  images: 0,
  imageAddresses: 0,
  mediaBytes: 0,
  toolTokens: 0,
  isOpen: false,
  goesOn: false,
}

const dataUrl = /^data:[^;,]{0,100}(?:;[^;,]{0,100})*;base64,/i

/** Finds what is not text. What it does not know is taken for something that only the upstream sees. */
export class InputMeter {
  #images = 0
  #imageAddresses = 0
  #mediaBytes = 0
  #toolTokens = 0
  #isOpen = false
  #goesOn = false

  open(): void {
    this.#isOpen = true
  }

  goOn(): void {
    this.#goesOn = true
  }

  tool(tokens: number): void {
    this.#toolTokens += tokens
  }

  /** A member that nobody knows. A number or a switch names nothing; a text, a list or an object may. */
  unknown(value: unknown): void {
    if (typeof value === 'string') this.#isOpen ||= value !== ''
    else if (Array.isArray(value)) this.#isOpen ||= value.length > 0
    else this.#isOpen ||= isObject(value)
  }

  /** The address of an image, which may hold the image itself. */
  imageAt(address: unknown): void {
    const text = typeof address === 'string' ? address : ''
    const head = text.startsWith('data:') ? dataUrl.exec(text)?.[0] : undefined
    if (head !== undefined) this.image(text.slice(head.length))
    else if (/^https?:/i.test(text)) this.#imageAddresses += 1
    else this.open()
  }

  /** An image in base64. Whatever it is called, it is one only if it begins like one. */
  image(base64: unknown): void {
    if (typeof base64 === 'string' && beginsLikeImage(base64)) {
      this.#images += 1
      this.#mediaBytes += base64.length
    } else this.open()
  }

  measure(): InputMeasure {
    const isPlain = this.#images + this.#imageAddresses + this.#toolTokens === 0
    if (isPlain && !this.#isOpen && !this.#goesOn) return plainInput
    return {
      images: this.#images,
      imageAddresses: this.#imageAddresses,
      mediaBytes: this.#mediaBytes,
      toolTokens: this.#toolTokens,
      isOpen: this.#isOpen,
      goesOn: this.#goesOn,
    }
  }
}

/** PNG, JPEG, GIF and WebP, by their first bytes: a PDF or a film may be called an image, and costs far more. */
const imageHeads = /^(?:iVBORw0KGgo|[/_]9j[/_]|R0lGOD[dl]h|UklGR.{6}XRUJQ)/

function beginsLikeImage(base64: string): boolean {
  return imageHeads.test(base64.slice(0, 24))
}
