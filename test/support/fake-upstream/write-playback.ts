import type { ServerResponse } from 'node:http'
import type { Playback } from './play-behaviour.ts'
import type { Recording } from './recorded-request.ts'

/** Writes an answer only as fast as the client reads, and stops when the client disconnects. */
export async function writePlayback(
  playback: Playback,
  outgoing: ServerResponse,
  { request, signal }: Recording,
): Promise<void> {
  if (playback.status !== undefined) {
    outgoing.writeHead(playback.status, { ...playback.headers })
    outgoing.flushHeaders()
  }
  const iterator = playback.chunks[Symbol.asyncIterator]()
  while (!signal.aborted) {
    const next = await Promise.race([iterator.next(), request.whenAborted])
    if (next === undefined || next.done === true) break
    await Promise.race([write(outgoing, next.value), request.whenAborted])
  }
  if (signal.aborted) {
    // A gated event may never arrive, so the end of the source is requested but not awaited.
    iterator.return?.().catch(() => undefined)
  } else if (playback.end === 'clean') {
    outgoing.end()
  } else if (playback.end === 'cut') {
    outgoing.socket?.destroy()
  }
}

function write(outgoing: ServerResponse, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0) return Promise.resolve()
  return new Promise((resolve) => {
    outgoing.write(bytes, () => {
      if (outgoing.writableNeedDrain) outgoing.once('drain', resolve)
      else resolve()
    })
  })
}
