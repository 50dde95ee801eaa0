// A chat-completions upstream with minimal cost: raw TCP, prebuilt bytes, one write per event. Prints its port, then
// serves until killed. GET /counters returns how much it has written.
import type { Socket } from 'bun'
import {
  completionReply,
  contentEvents,
  jsonReply,
  streamHead,
  streamTail,
} from './upstream-replies.ts'
import {
  readUpstreamRequest,
  type UpstreamRequest,
  upstreamRequestLength,
} from './upstream-request.ts'

interface Connection {
  // Received parts of a request that is not complete yet, and how many bytes the request has in all, once known.
  unread: Buffer[]
  unreadLength: number
  wanted: number | undefined
  unsent: Buffer | undefined
  timer: Timer | undefined
}

const counters = { requests: 0, events: 0, openStreams: 0 }

const listener = Bun.listen<Connection>({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    open(socket) {
      socket.data = {
        unread: [],
        unreadLength: 0,
        wanted: undefined,
        unsent: undefined,
        timer: undefined,
      }
      socket.setNoDelay(true)
    },
    data(socket, received) {
      const connection = socket.data
      connection.unreadLength += received.length
      // A long body is joined once, when all of it has arrived.
      if (connection.wanted !== undefined && connection.unreadLength < connection.wanted) {
        connection.unread.push(Buffer.from(received))
        return
      }
      let bytes =
        connection.unread.length === 0 ? received : Buffer.concat([...connection.unread, received])
      for (;;) {
        const request = readUpstreamRequest(bytes)
        if (request === undefined) break
        answer(socket, request)
        bytes = bytes.subarray(request.length)
      }
      // The runtime reuses the received buffer, so the remaining bytes are copied.
      connection.unread = bytes.length > 0 ? [Buffer.from(bytes)] : []
      connection.unreadLength = bytes.length
      connection.wanted = bytes.length > 0 ? upstreamRequestLength(bytes) : undefined
    },
    drain(socket) {
      const { unsent } = socket.data
      socket.data.unsent = undefined
      if (unsent !== undefined) send(socket, unsent)
    },
    close(socket) {
      stopStream(socket.data)
    },
    error() {},
  },
})

process.stdout.write(`${listener.port}\n`)

function answer(socket: Socket<Connection>, request: UpstreamRequest): void {
  if (request.path === '/counters') {
    send(socket, jsonReply('200 OK', counters))
    return
  }
  counters.requests += 1
  if (request.stream) startStream(socket, request)
  else send(socket, completionReply)
}

function startStream(socket: Socket<Connection>, request: UpstreamRequest): void {
  const connection = socket.data
  let written = 0
  counters.openStreams += 1
  send(socket, streamHead)
  const writeNext = () => {
    // A slow reader misses events instead of increasing the memory of this process.
    if (connection.unsent !== undefined) return
    const event = contentEvents[written % contentEvents.length]
    if (written === request.eventCount || event === undefined) {
      stopStream(connection)
      send(socket, streamTail)
      return
    }
    written += 1
    counters.events += 1
    send(socket, event)
  }
  // The first event is spread over the interval; otherwise all streams would send at once.
  const phaseMs = (counters.requests * 7) % request.intervalMs
  connection.timer = setTimeout(() => {
    connection.timer = setInterval(writeNext, request.intervalMs)
    writeNext()
  }, phaseMs)
}

function stopStream(connection: Connection): void {
  if (connection.timer === undefined) return
  clearTimeout(connection.timer)
  connection.timer = undefined
  counters.openStreams -= 1
}

function send(socket: Socket<Connection>, bytes: Buffer): void {
  const { unsent } = socket.data
  if (unsent !== undefined) {
    socket.data.unsent = Buffer.concat([unsent, bytes])
    return
  }
  const sent = socket.write(bytes)
  if (sent >= 0 && sent < bytes.length) socket.data.unsent = bytes.subarray(sent)
}
