import type { MediaSource } from '../../core/model-request.ts'

interface Located {
  /** Undefined when only the address is known. */
  readonly mime: string | undefined
  readonly source: MediaSource
}

const inline = /^data:([^;,]*)((?:;[^;,]*)*),/

/** What an address means: inline data say their type themselves, anything else is left where it is. */
export function sourceOfUrl(url: string): Located {
  const head = inline.exec(url.slice(0, 512))
  if (!head) return { mime: undefined, source: { type: 'url', url } }
  const mime = head[1] === '' || head[1] === undefined ? 'text/plain' : head[1].toLowerCase()
  const rest = url.slice(head[0].length)
  if (/;base64$/i.test(head[2] ?? '')) return { mime, source: { type: 'base64', data: rest } }
  return { mime, source: { type: 'text', text: decodeText(rest) } }
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
