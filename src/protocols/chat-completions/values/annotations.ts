import type { Annotation } from '../../../core/neutral/model-request.ts'
import { isObject, type JsonObject, stringAt } from '../../../wire/json.ts'

/**
 * Sources of a whole answer, beside its choices: `search_results` with titles, `citations` with URLs only. The text
 * refers to them by number, so their order is kept. Undefined when a chunk has none.
 */
export function decodeSources(reply: JsonObject): readonly Annotation[] | undefined {
  const results = listAt(reply, 'search_results')
  const addresses = listAt(reply, 'citations')
  if (results.length === 0 && addresses.length === 0) return undefined
  const sources = new Map<string, Annotation>()
  for (const each of [...addresses, ...results]) {
    const source = typeof each === 'string' ? sourceOf({ url: each }) : sourceOf(each)
    if (!source) continue
    const known = sources.get(source.url)
    sources.set(source.url, {
      ...source,
      title: source.title ?? known?.title,
      citedText: source.citedText ?? known?.citedText,
    })
  }
  return [...sources.values()]
}

function sourceOf(value: unknown): Annotation | undefined {
  const url = isObject(value) ? stringAt(value, 'url') : undefined
  if (!isObject(value) || url === undefined || url === '') return undefined
  const snippet = stringAt(value, 'snippet')
  return {
    url,
    title: stringAt(value, 'title'),
    start: undefined,
    end: undefined,
    citedText: snippet === '' ? undefined : snippet,
  }
}

function listAt(reply: JsonObject, name: string): readonly unknown[] {
  const list = reply[name]
  return Array.isArray(list) ? list : []
}

/** The position of a span in the whole content. A source without a position belongs to all of its part. */
export function encodeAnnotations(
  annotations: readonly Annotation[],
  offset: number,
  length: number,
): JsonObject[] {
  return annotations.map(({ url, title, start, end }) => ({
    type: 'url_citation',
    url_citation: {
      url,
      title: title ?? url,
      start_index: offset + (start ?? 0),
      end_index: offset + (end ?? length),
    },
  }))
}
