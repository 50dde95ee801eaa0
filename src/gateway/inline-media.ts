import type { MediaPart, ModelRequest, Part, ToolResultPart, Turn } from '../core/model-request.ts'
import type { ProtocolName } from '../core/protocol-name.ts'

/** Fetches a medium; refuses with a 400 that says why it cannot. */
export type InlineMedia = (url: string) => Promise<{ mime: string; base64: string }>

/** More than a conversation needs; each is bounded in size by the fetch itself. */
const mediaMax = 20

/**
 * Upstreams of generate-content do not fetch addresses of the open web reliably, so what stands behind one is
 * put into the request. The other protocols take addresses as they are.
 */
export function inlineMedia(
  request: ModelRequest,
  protocol: ProtocolName,
  fetchMedium: InlineMedia,
): ModelRequest | Promise<ModelRequest> {
  if (protocol !== 'generate-content') return request
  const urls = new Set<string>()
  for (const part of mediaOf(request)) if (isForeign(part)) urls.add(part.source.url)
  if (urls.size === 0 || urls.size > mediaMax) return request
  return fetchAll([...urls], fetchMedium).then((found) => ({
    ...request,
    turns: request.turns.map((turn) => inlineTurn(turn, found)),
  }))
}

type Found = ReadonlyMap<string, { mime: string; base64: string }>

async function fetchAll(urls: readonly string[], fetchMedium: InlineMedia): Promise<Found> {
  const found = await Promise.all(urls.map(async (url) => [url, await fetchMedium(url)] as const))
  return new Map(found)
}

function* mediaOf({ turns }: ModelRequest): Iterable<MediaPart> {
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.type === 'media') yield part
      if (part.type === 'tool-result') yield* part.parts.filter((inner) => inner.type === 'media')
    }
  }
}

/** Files that Google itself keeps are read by it; everything else of the web is foreign. */
function isForeign(part: MediaPart): part is MediaPart & { source: { type: 'url'; url: string } } {
  const { source } = part
  if (source.type !== 'url' || !/^https?:/i.test(source.url)) return false
  return !/^https:\/\/(?:generativelanguage\.googleapis\.com|(?:www\.)?youtube\.com|youtu\.be)\//.test(
    source.url,
  )
}

function inlineTurn(turn: Turn, found: Found): Turn {
  return { ...turn, parts: turn.parts.map((part) => inlinePart(part, found)) }
}

function inlinePart(part: Part, found: Found): Part {
  if (part.type === 'media') return inlineOne(part, found)
  if (part.type !== 'tool-result') return part
  const parts: ToolResultPart['parts'] = part.parts.map((inner) =>
    inner.type === 'media' ? inlineOne(inner, found) : inner,
  )
  return { ...part, parts }
}

function inlineOne(part: MediaPart, found: Found): MediaPart {
  const medium = part.source.type === 'url' ? found.get(part.source.url) : undefined
  if (!medium) return part
  return { ...part, mime: medium.mime, source: { type: 'base64', data: medium.base64 } }
}
