import type { Annotation } from '../../../core/neutral/model-request.ts'
import type { GrowingText } from '../../../core/runtime/growing-text.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { fieldOf, listOrSingle, objectOf, textOf } from './read-field.ts'

const decoder = new TextDecoder()
const encoder = new TextEncoder()
/**
 * Converting byte positions to characters reads the bytes before them. Beyond this many bytes, sources get no position.
 */
const bytesReadMax = 16 * 1024 * 1024

/** The cited text, and how much of it was read to find positions in it. */
interface CitedText {
  readonly bytes: Uint8Array
  bytesRead: number
}

/** The sources of a candidate: its grounding and its citations. The upstream gives positions in bytes of the text. */
export function decodeAnnotations(
  grounding: JsonObject | undefined,
  citations: readonly JsonObject[],
  text: GrowingText,
): readonly Annotation[] | undefined {
  if (!grounding && citations.length === 0) return undefined
  const cited = { bytes: encoder.encode(text.toString()), bytesRead: 0 }
  const annotations = [
    ...(grounding ? decodeGrounding(grounding, cited) : []),
    ...citations.flatMap((citation) => decodeCitations(citation, cited)),
  ]
  return annotations.length === 0 ? undefined : annotations
}

function decodeGrounding(grounding: JsonObject, cited: CitedText): Annotation[] {
  const sources = listOrSingle(fieldOf(grounding, 'groundingChunks')).map(decodeSource)
  const annotations: Annotation[] = []
  const used = new Set<unknown>()
  for (const support of listOrSingle(fieldOf(grounding, 'groundingSupports'))) {
    if (!isObject(support)) continue
    const segment = objectOf(support, 'segment') ?? {}
    const span = spanOf(segment, cited)
    for (const index of listOrSingle(fieldOf(support, 'groundingChunkIndices'))) {
      const source = typeof index === 'number' ? sources[index] : undefined
      if (!source) continue
      used.add(source)
      annotations.push({ ...source, ...span, citedText: undefined })
    }
  }
  for (const source of sources) {
    if (!source || used.has(source)) continue
    annotations.push({ ...source, start: undefined, end: undefined, citedText: undefined })
  }
  return annotations
}

function decodeSource(chunk: unknown): Pick<Annotation, 'url' | 'title'> | undefined {
  if (!isObject(chunk)) return undefined
  const source = objectOf(chunk, 'web') ?? objectOf(chunk, 'retrievedContext') ?? {}
  const url = textOf(source, 'uri')
  return url === undefined ? undefined : { url, title: textOf(source, 'title') }
}

function decodeCitations(citation: JsonObject, cited: CitedText): Annotation[] {
  const sources = fieldOf(citation, 'citationSources') ?? fieldOf(citation, 'citations')
  return listOrSingle(sources).flatMap((source): Annotation[] => {
    const url = isObject(source) ? textOf(source, 'uri') : undefined
    if (!isObject(source) || url === undefined) return []
    const span = spanOf(source, cited)
    return [{ url, title: textOf(source, 'title'), ...span, citedText: undefined }]
  })
}

function spanOf(
  segment: JsonObject,
  cited: CitedText,
): { start: number | undefined; end: number | undefined } {
  const end = fieldOf(segment, 'endIndex')
  const start = fieldOf(segment, 'startIndex') ?? 0
  const { bytes } = cited
  if (typeof start !== 'number' || typeof end !== 'number' || end > bytes.length || start > end) {
    return { start: undefined, end: undefined }
  }
  cited.bytesRead += Math.max(0, start) + Math.max(0, end)
  if (cited.bytesRead > bytesReadMax) return { start: undefined, end: undefined }
  return { start: characterAt(bytes, start), end: characterAt(bytes, end) }
}

function characterAt(bytes: Uint8Array, byte: number): number {
  return decoder.decode(bytes.subarray(0, byte)).length
}

/** Converting positions to bytes reads the text before them. Beyond this many characters, sources get no position. */
const charactersReadMax = 16 * 1024 * 1024

/** Collects the sources of an answer for its `groundingMetadata`. */
export class Grounding {
  readonly #chunks: JsonObject[] = []
  readonly #supports: JsonObject[] = []
  readonly #indexes = new Map<string, number>()
  #charactersRead = 0

  /** `partIndex` matters in a whole reply, where positions count from the beginning of the part. */
  add(annotations: readonly Annotation[], text: string, partIndex: number): void {
    for (const { url, title, start, end } of annotations) {
      const index = this.#indexes.get(url) ?? this.#chunks.push({ web: { uri: url, title } }) - 1
      this.#indexes.set(url, index)
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
