import { Fault } from '../../core/fault.ts'
import type {
  MediaPart,
  ModelRequest,
  Part,
  ToolResultPart,
  Turn,
} from '../../core/neutral/model-request.ts'
import type { StopSwitch } from '../../http-out/stop-switch.ts'
import type { UpstreamSide } from '../../protocols/protocol.ts'
import type { Exchange } from '../exchange.ts'
import type { MediaFile, MediaRequester } from './fetch-media.ts'
import { HeldMedia } from './held-media.ts'
import { type MediaBudget, tooMuchMedia } from './media-budget.ts'
import { mediaLimits } from './media-limits.ts'

export interface MediaFetching {
  /** Fetches a medium. Throws a 400 that states why it cannot. */
  fetchMediaFile(url: string, requester: MediaRequester): Promise<MediaFile>
  readonly mediaBudget: MediaBudget
  mint(prefix: string): string
}

/** The exchange owns its media, which are kept for further attempts until an upstream has answered. */
type Owner = Pick<Exchange, 'caller' | 'media'>

/**
 * Upstreams of some protocols do not fetch URLs reliably, so the gateway puts the files into the request. The others
 * get the URLs unchanged.
 */
export function inlineMedia(
  request: ModelRequest,
  { needsInline }: UpstreamSide,
  owner: Owner,
  stop: StopSwitch,
  parts: MediaFetching,
): ModelRequest | Promise<ModelRequest> {
  if (!needsInline) return request
  const uses = new Map<string, number>()
  for (const { source } of foreignMedia(request, needsInline)) {
    uses.set(source.url, (uses.get(source.url) ?? 0) + 1)
  }
  if (uses.size === 0) return request
  if (uses.size > mediaLimits.filesMax) throw tooManyFiles()
  return (owner.media ? Promise.resolve(owner.media) : fetchAll(uses, owner, stop, parts)).then(
    (held) => {
      owner.media = held
      return { ...request, turns: request.turns.map((turn) => inlineTurn(turn, held)) }
    },
  )
}

/** Fetches a few files at a time. The first failure stops the others, and nothing is kept. */
async function fetchAll(
  uses: ReadonlyMap<string, number>,
  { caller }: Owner,
  stop: StopSwitch,
  parts: MediaFetching,
): Promise<HeldMedia> {
  const abort = new AbortController()
  const deadline = setTimeout(() => abort.abort(), mediaLimits.requestMs)
  stop.onStop = () => abort.abort()
  if (stop.isStopped) abort.abort()
  const share = parts.mediaBudget.open(caller.account.id)
  const held = new HeldMedia(share, parts.mint)
  const waiting = [...uses]
  let sentBytes = 0
  const fetchNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !abort.signal.aborted; next = waiting.shift()) {
      const [url, times] = next
      share.beginFile()
      try {
        const requester = { signal: abort.signal, take: (bytes: number) => share.take(bytes) }
        const medium = await parts.fetchMediaFile(url, requester)
        sentBytes += medium.base64Bytes * times
        if (sentBytes > mediaLimits.requestBytesMax) throw tooMuchMedia()
        held.add(url, medium)
      } finally {
        share.endFile()
      }
    }
  }
  const lanes = Array.from({ length: mediaLimits.requestFilesAtOnce }, async () => {
    try {
      await fetchNext()
    } catch (error) {
      abort.abort()
      throw error
    }
  })
  try {
    await Promise.all(lanes)
    if (abort.signal.aborted) throw tooSlow()
    return held
  } catch (error) {
    // All fetches must have ended before the next attempt may fetch the same files again.
    await Promise.allSettled(lanes)
    held.release()
    throw error
  } finally {
    clearTimeout(deadline)
    stop.onStop = undefined
  }
}

function tooManyFiles(): Fault {
  return new Fault(
    'invalid_request',
    `The request refers to more than ${mediaLimits.filesMax} images and files by URL, and the upstream of this model cannot fetch them. Send fewer, or send the files themselves.`,
    { isUntranslatable: true },
  )
}

function tooSlow(): Fault {
  const seconds = mediaLimits.requestMs / 1_000
  return new Fault(
    'invalid_request',
    `The images and files that this request refers to by URL did not arrive within ${seconds} s. Send the files themselves.`,
  )
}

type ForeignMedia = MediaPart & { source: { type: 'url'; url: string } }

function* foreignMedia(
  { turns }: ModelRequest,
  needsInline: (url: string) => boolean,
): Iterable<ForeignMedia> {
  for (const { parts } of turns) {
    for (const part of parts) {
      const inner = part.type === 'tool-result' ? part.parts : [part]
      for (const each of inner) {
        if (each.type === 'media' && isWeb(each) && needsInline(each.source.url)) yield each
      }
    }
  }
}

function isWeb(part: MediaPart): part is ForeignMedia {
  return part.source.type === 'url' && /^https?:/i.test(part.source.url)
}

function inlineTurn(turn: Turn, held: HeldMedia): Turn {
  return { ...turn, parts: turn.parts.map((part) => inlinePart(part, held)) }
}

function inlinePart(part: Part, held: HeldMedia): Part {
  if (part.type === 'media') return inlineOne(part, held)
  if (part.type !== 'tool-result') return part
  const parts: ToolResultPart['parts'] = part.parts.map((inner) =>
    inner.type === 'media' ? inlineOne(inner, held) : inner,
  )
  return { ...part, parts }
}

function inlineOne(part: MediaPart, held: HeldMedia): MediaPart {
  const found = part.source.type === 'url' ? held.find(part.source.url) : undefined
  if (!found) return part
  return { ...part, mime: found.medium.mime, source: { type: 'base64', data: found.mark } }
}
