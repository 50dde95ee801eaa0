import type { Annotation } from '../../../core/neutral/model-request.ts'
import { countAt, isObject, stringAt } from '../../../wire/json.ts'

/** Links only: a citation of an uploaded file has no meaning outside its vendor. */
export function decodeAnnotations(value: unknown): Annotation[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((each: unknown) => decodeAnnotation(each) ?? [])
}

function decodeAnnotation(value: unknown): Annotation | undefined {
  if (!isObject(value) || value['type'] !== 'url_citation') return undefined
  const url = stringAt(value, 'url')
  if (url === undefined) return undefined
  return {
    url,
    title: stringAt(value, 'title'),
    start: countAt(value, 'start_index'),
    end: countAt(value, 'end_index'),
    citedText: undefined,
  }
}

/** Every member is required here. A link without a position belongs to the whole text. */
export function encodeAnnotation(annotation: Annotation, textLength: number): string {
  return JSON.stringify({
    type: 'url_citation',
    url: annotation.url,
    title: annotation.title ?? '',
    start_index: annotation.start ?? 0,
    end_index: annotation.end ?? textLength,
  })
}
