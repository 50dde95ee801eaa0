import type { Annotation } from '../../../core/neutral/model-request.ts'
import { isObject, type JsonObject, stringAt } from '../../../wire/json.ts'
import { unsignedMark } from './opaque.ts'

export function decodeAnnotations(citations: unknown): Annotation[] {
  if (!Array.isArray(citations)) return []
  return citations.flatMap((citation: unknown) => decodeAnnotation(citation) ?? [])
}

/** Only a citation with a URL has a meaning in other protocols. A position in the client's own document does not. */
export function decodeAnnotation(citation: unknown): Annotation | undefined {
  if (!isObject(citation)) return undefined
  const url = stringAt(citation, 'url') ?? stringAt(citation, 'source')
  if (url === undefined || !/^https?:/.test(url)) return undefined
  return {
    url,
    title: stringAt(citation, 'title'),
    start: undefined,
    end: undefined,
    citedText: stringAt(citation, 'cited_text'),
  }
}

/**
 * The encrypted index is a token of the vendor that searched. The gateway's own token marks the body, in case the
 * client sends it back.
 */
export function encodeAnnotation({ url, title, citedText }: Annotation): JsonObject {
  return {
    type: 'web_search_result_location',
    cited_text: citedText ?? '',
    encrypted_index: unsignedMark,
    title: title ?? null,
    url,
  }
}
