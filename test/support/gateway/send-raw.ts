import { connect, type Socket } from 'node:net'
import { isObject, type JsonObject, parseJson } from '../../../src/wire/json.ts'

/** The answer on a socket to which the test wrote every byte itself. */
export interface RawAnswer {
  /** 0 if the connection was closed without an answer. */
  readonly status: number
  readonly text: string
  readonly json: JsonObject
}

export function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.off('error', reject)
      // The gateway may close the connection in the middle of a body.
      socket.on('error', () => undefined)
      resolve(socket)
    })
    socket.on('error', reject)
  })
}

type Piece = string | Uint8Array

/**
 * Writes the pieces one after another, each when the previous one is sent, until an answer begins. Reads until the
 * answer is complete or the connection ends.
 */
export async function sendRaw(
  url: string,
  pieces: Iterable<Piece> | AsyncIterable<Piece>,
  options: { thenEnd?: boolean; withinMs?: number } = {},
): Promise<RawAnswer> {
  const socket = await openSocket(url)
  const answered = Promise.withResolvers<void>()
  const { withinMs } = options
  const late = () =>
    answered.reject(new Error(`neither an answer nor an end within ${withinMs} ms`))
  const timer = withinMs === undefined ? undefined : setTimeout(late, withinMs)
  let text = ''
  let isOver = false
  const finish = () => {
    isOver = true
    answered.resolve()
  }
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
    if (isWhole(text)) finish()
  })
  socket.on('close', finish)
  socket.on('end', finish)
  try {
    for await (const piece of pieces) {
      if (isOver) break
      await Promise.race([writePiece(socket, piece), answered.promise])
    }
    if (options.thenEnd) socket.end()
    await answered.promise
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
  return readAnswer(text)
}

function writePiece(socket: Socket, piece: Piece): Promise<void> {
  return new Promise((resolve) => {
    socket.write(piece, () => resolve())
  })
}

function isWhole(text: string): boolean {
  const headersEnd = text.indexOf('\r\n\r\n')
  if (headersEnd < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, headersEnd))?.[1]
  if (length !== undefined) return text.length >= headersEnd + 4 + Number(length)
  return text.endsWith('0\r\n\r\n')
}

function readAnswer(text: string): RawAnswer {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
  const value = parseJson(text.slice(text.indexOf('\r\n\r\n') + 4))
  return { status, text, json: isObject(value) ? value : {} }
}
