import type { MediaSource } from '../core/model-request.ts'
import { standardBase64 } from '../wire/base64.ts'

/** Where a medium is, and what it is if its address says so. */
export interface Located {
  /** Undefined when only the address is known. */
  readonly mime: string | undefined
  readonly source: MediaSource
}

const inline = /^data:([^;,]*)((?:;[^;,]*)*),/i
const headLengthMax = 512

/** What an address means: inline data say their type themselves, anything else is left where it is. */
export function sourceOfUrl(url: string): Located {
  const head = inline.exec(url.slice(0, headLengthMax))
  if (!head) return { mime: undefined, source: { type: 'url', url } }
  const mime = head[1] === '' ? undefined : head[1]?.toLowerCase()
  const rest = url.slice(head[0].length)
  if (/;base64$/i.test(head[2] ?? '')) return { mime, source: base64Source(rest) }
  const text = decodeText(rest)
  if (mime === undefined || mime.startsWith('text/'))
    return { mime: mime ?? 'text/plain', source: { type: 'text', text } }
  return { mime, source: { type: 'base64', data: new TextEncoder().encode(text).toBase64() } }
}

/** Bytes that came inline, in the one spelling of base64 that every upstream takes. */
export function base64Source(data: string): { readonly type: 'base64'; readonly data: string } {
  return { type: 'base64', data: standardBase64(data) }
}

export function dataUrl(mime: string, data: string): string {
  return `data:${mime};base64,${data}`
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
