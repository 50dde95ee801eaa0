import type { Image } from './answer.ts'
import { requireThat } from './require-that.ts'

export function readDataUrl(url: unknown): Image {
  const match = /^data:([^;]+);base64,(.+)$/.exec(String(url))
  requireThat(match !== null, `a data URL, not ${String(url).slice(0, 60)}`)
  return { mime: match[1] ?? '', data: match[2] ?? '' }
}
