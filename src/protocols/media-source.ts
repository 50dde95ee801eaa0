import type { MediaSource } from '../core/neutral/model-request.ts'
import { standardBase64 } from '../wire/base64.ts'

/** The source of a media part, and its type if the URL contains it. */
export interface MediaLocation {
  /** Undefined when only the URL is known. */
  readonly mime: string | undefined
  readonly source: MediaSource
}

const inline = /^data:([^;,]*)((?:;[^;,]*)*),/i
const headLengthMax = 512

/** A data URL contains its own type. Any other URL is kept as a reference. */
export function sourceOfUrl(url: string): MediaLocation {
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

/** Inline bytes in standard base64, which every upstream accepts. */
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
