import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Behaviour } from './behaviour.ts'
import { playBehaviour } from './play-behaviour.ts'
import { type RecordedRequest, recordRequest } from './recorded-request.ts'
import { createScriptBook, type RequestMatch } from './script-book.ts'
import { writePlayback } from './write-playback.ts'

export interface FakeUpstream {
  /** Without a path: `http://127.0.0.1:port`. */
  readonly url: string
  /** In the order in which their bodies were completed. */
  readonly requests: readonly RecordedRequest[]
  readonly openConnections: number
  script(match: RequestMatch, behaviour: Behaviour): void
  /** Resolves with request number `count` (from 1, since the last reset) when it arrives. */
  whenRequested(count: number): Promise<RecordedRequest>
  /** Clears the script and the recorded requests. */
  reset(): void
  /** Rejects when the fake itself failed, so that its mistake cannot make a test pass. */
  stop(): Promise<void>
}

/** A real listener for tests. It uses Node's HTTP server, because tests must be able to destroy a socket. */
export async function startFakeUpstream(): Promise<FakeUpstream> {
  const book = createScriptBook()
  const requests: RecordedRequest[] = []
  const waiting = new Set<() => void>()
  const sockets = new Set<Socket>()
  const failures: unknown[] = []

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const recording = await recordRequest(incoming, outgoing)
    requests.push(recording.request)
    for (const look of waiting) look()
    const playback = await playBehaviour(book.choose(recording.request), recording)
    await writePlayback(playback, outgoing, recording)
  }
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => {
      failures.push(error)
      outgoing.socket?.destroy()
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const url = await listen(server)

  return {
    url,
    requests,
    get openConnections() {
      return sockets.size
    },
    script: book.add,
    whenRequested: (count) =>
      new Promise((resolve) => {
        const look = () => {
          const request = requests[count - 1]
          if (request === undefined) return
          waiting.delete(look)
          resolve(request)
        }
        waiting.add(look)
        look()
      }),
    reset() {
      book.reset()
      requests.length = 0
    },
    stop: () =>
      new Promise((resolve, reject) => {
        server.close(() => {
          if (failures.length === 0) resolve()
          else reject(new AggregateError(failures, 'the fake upstream itself failed'))
        })
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function listen(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') return reject(new Error('no port'))
      resolve(`http://127.0.0.1:${address.port}`)
    })
  })
}
