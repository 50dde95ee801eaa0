import type { Socket } from 'bun'
import { allProtocols } from '../support/protocols/test-protocols.ts'
import { chunk, openHead, streamType } from './answer-bytes.ts'

/** An endless stream and its progress. */
export interface Flood {
  /** The bytes that the kernel has accepted. */
  sentBytes: number
  readonly localPort: number
  readonly remotePort: number
  readonly closed: Promise<void>
}

export interface FloodingUpstream {
  readonly url: string
  /** By requested model. */
  readonly floods: Map<string, Flood>
  stop(): void
}

/** Long, so that the bytes that a translation adds or drops hardly matter. */
const eventBytes = 48 * 1024
const eventsAtOnce = 32

interface State {
  asked: string
  flood: Flood | undefined
  /** The buffers to write next; the last one is repeated. */
  waiting: Uint8Array[]
  /** The number of bytes of the first buffer that are sent. */
  at: number
  close(): void
}

/** Writes whenever the kernel accepts bytes, so that its buffer is always full. */
export function startFloodingUpstream(): FloodingUpstream {
  const floods = new Map<string, Flood>()
  const listener = Bun.listen<State>({
    hostname: '127.0.0.1',
    port: 0,
    data: { asked: '', flood: undefined, waiting: [], at: 0, close: () => undefined },
    socket: {
      open: (socket) => {
        socket.data = { asked: '', flood: undefined, waiting: [], at: 0, close: () => undefined }
      },
      data: (socket, bytes) => {
        const { data } = socket
        data.asked += bytes.toString('latin1')
        const model = /^POST \/([^/]+)/.exec(data.asked)?.[1]
        if (data.flood || model === undefined || !data.asked.includes('\r\n\r\n')) return
        const closed = Promise.withResolvers<void>()
        const { localPort, remotePort } = socket
        data.flood = { sentBytes: 0, localPort, remotePort, closed: closed.promise }
        data.close = closed.resolve
        data.waiting = wordsOf(model)
        floods.set(model, data.flood)
        pour(socket)
      },
      drain: pour,
      close: ({ data }) => data.close(),
      error: ({ data }) => data.close(),
    },
  })
  return {
    url: `http://127.0.0.1:${listener.port}`,
    floods,
    stop: () => listener.stop(true),
  }
}

function pour(socket: Socket<State>): void {
  const { data } = socket
  for (;;) {
    const [piece] = data.waiting
    if (!piece || !data.flood) return
    const written = socket.write(piece.subarray(data.at))
    if (written <= 0) return
    data.flood.sentBytes += written
    data.at += written
    if (data.at < piece.length) return
    data.at = 0
    if (data.waiting.length > 1) data.waiting.shift()
  }
}

/** The response head, the events before the text, and a lot of text. */
function wordsOf(model: string): Uint8Array[] {
  const [, name] = model.split('.')
  const protocol = allProtocols.find((each) => each.name === name)
  if (!protocol) throw new Error(`no protocol ${name}`)
  const text = 'x'.repeat(eventBytes)
  const events = protocol.upstream.events({ pieces: [text] })
  const at = events.findIndex((event) => event.includes(text))
  const lot = Array.from({ length: eventsAtOnce }, () => chunk(events[at] ?? ''))
  return [
    Buffer.from(openHead(streamType)),
    ...events.slice(0, at).map((event) => chunk(event)),
    Buffer.concat(lot),
  ]
}
