import type { Annotation } from '../../core/model-request.ts'
import type { JsonObject } from '../../wire/json.ts'

const encoder = new TextEncoder()
/** Converting positions to bytes reads the text before them. Beyond this many characters, sources get no position. */
const charactersReadMax = 16 * 1024 * 1024

/** Collects the sources of an answer for its `groundingMetadata`. */
export class Grounding {
  readonly #chunks: JsonObject[] = []
  readonly #supports: JsonObject[] = []
  readonly #places = new Map<string, number>()
  #charactersRead = 0

  /** `partIndex` matters in a whole reply, where positions count from the beginning of the part. */
  add(annotations: readonly Annotation[], text: string, partIndex: number): void {
    for (const { url, title, start, end } of annotations) {
      const index = this.#places.get(url) ?? this.#chunks.push({ web: { uri: url, title } }) - 1
      this.#places.set(url, index)
      if (start === undefined || end === undefined || end > text.length) continue
      this.#charactersRead += start + end
      if (this.#charactersRead > charactersReadMax) continue
      const segment = {
        ...(partIndex === 0 ? {} : { partIndex }),
        startIndex: byteAt(text, start),
        endIndex: byteAt(text, end),
        text: text.slice(start, end),
      }
      this.#supports.push({ segment, groundingChunkIndices: [index] })
    }
  }

  value(): JsonObject | undefined {
    if (this.#chunks.length === 0) return undefined
    return { groundingChunks: this.#chunks, groundingSupports: this.#supports }
  }
}

function byteAt(text: string, character: number): number {
  return encoder.encode(text.slice(0, character)).length
}
