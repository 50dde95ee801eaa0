import type { PartHead } from '../../core/neutral/reply-event.ts'

/** The text that replaces media that the client's protocol cannot express. */
export function describeMedia({ mime, source }: Extract<PartHead, { type: 'media' }>): string {
  return source.type === 'url'
    ? `[${mime}: ${source.url}]`
    : `[The model answered with ${mime}, which this protocol cannot carry.]`
}
