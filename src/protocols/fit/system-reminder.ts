import type { Part } from '../../core/neutral/model-request.ts'

/**
 * Instructions between turns, for protocols that have no role for them. They stay in place, because hoisting them would
 * change their meaning and miss the cache. A tag marks them, so that the model does not read them as the user's own
 * text.
 */
export function systemReminder(parts: readonly Part[]): string | undefined {
  const texts = parts.flatMap((part) => (part.type === 'text' && part.text !== '' ? part.text : []))
  if (texts.length === 0) return undefined
  return `<system-reminder>\n${texts.join('\n\n')}\n</system-reminder>`
}
