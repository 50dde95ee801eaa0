import { isObject } from '../../wire/json.ts'

/**
 * The input of a request that its byte count does not bound. All other input is text, with at most one token for each
 * byte.
 */
export interface InputMeasure {
  /** Images inside the body. */
  readonly images: number
  /** Images that the body names by URL. */
  readonly imageAddresses: number
  /** Bytes of the body that are images, not text. */
  readonly mediaBytes: number
  /** Tokens that the vendor adds to the prompt for tools that it knows by name. */
  readonly toolTokens: number
  /**
   * Some input is visible only to the upstream, or its size does not follow from its bytes. Only the context window
   * bounds it.
   */
  readonly isOpen: boolean
  /** The request continues an earlier response, which the upstream puts before this input. */
  readonly continuesResponse: boolean
}

/** Text only, as in nearly all requests. */
export const plainInput: InputMeasure = {
  images: 0,
  imageAddresses: 0,
  mediaBytes: 0,
  toolTokens: 0,
  isOpen: false,
  continuesResponse: false,
}

const dataUrl = /^data:[^;,]{0,100}(?:;[^;,]{0,100})*;base64,/i

/** Finds input that is not text. An unknown value counts as input that only the upstream sees. */
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

  /** An unknown member. A number or boolean cannot name an object; a string, list or object can. */
  unknown(value: unknown): void {
    if (typeof value === 'string') this.#isOpen ||= value !== ''
    else if (Array.isArray(value)) this.#isOpen ||= value.length > 0
    else this.#isOpen ||= isObject(value)
  }

  /** An image URL, which may be a data URL. */
  imageAt(address: unknown): void {
    const text = typeof address === 'string' ? address : ''
    const head = text.startsWith('data:') ? dataUrl.exec(text)?.[0] : undefined
    if (head !== undefined) this.image(text.slice(head.length))
    else if (/^https?:/i.test(text)) this.#imageAddresses += 1
    else this.open()
  }

  /** An image in base64. Whatever its declared type, only data that begins like an image counts as one. */
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
      continuesResponse: this.#goesOn,
    }
  }
}

/** The first bytes of PNG, JPEG, GIF and WebP. A PDF or a video can be declared as an image and costs far more. */
const imageHeads = /^(?:iVBORw0KGgo|[/_]9j[/_]|R0lGOD[dl]h|UklGR.{6}XRUJQ)/

function beginsLikeImage(base64: string): boolean {
  return imageHeads.test(base64.slice(0, 24))
}
