import type { PartHead } from '../../core/reply-event.ts'

/** What a reader is told in place of media that the client's protocol has no form for. */
export function describeMedia({ mime, source }: Extract<PartHead, { type: 'media' }>): string {
  return source.type === 'url'
    ? `[${mime}: ${source.url}]`
    : `[The model answered with ${mime}, which this protocol cannot carry.]`
}
