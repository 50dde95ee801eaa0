import type { MediaPart, TextPart } from '../../../core/neutral/model-request.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'
import type { Target } from '../../translation.ts'
import { encodeCacheMark } from '../values/cache-marks.ts'
import { isFullOpenAi } from './dialect.ts'
import { encodePart } from './encode-media.ts'

type Content = string | JsonObject[]

/**
 * Content with a single text becomes a string. Several texts stay parts where the server accepts parts; simpler servers
 * want a string for all text-only content.
 */
export function encodeContent(
  parts: readonly (TextPart | MediaPart)[],
  target: Target,
  notes: Notes,
): Content {
  const [first] = parts
  if (first?.type === 'text' && parts.length === 1 && !first.cacheMark) return first.text
  const isPlain =
    !target.traits.takesCacheMarks || parts.every((part) => part.cacheMark === undefined)
  const texts = parts.filter((part) => part.type === 'text')
  const isText = texts.length === parts.length
  if (isText && isPlain && (parts.length <= 1 || !isFullOpenAi(target.traits)))
    return texts.map((part) => part.text).join('\n\n')
  return parts.map((part) => ({
    ...encodePart(part, notes),
    ...encodeCacheMark(part.cacheMark, target),
  }))
}
