import { afterAll, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { type Listener, listen } from '../../../src/http-in/listen.ts'
import { eventually } from '../../support/eventually.ts'
import { openSocket } from '../../support/gateway/send-raw.ts'

const opened: Listener[] = []
afterAll(async () => {
  for (const each of opened) await each.stop()
})

/** A listener that answers with its name, for requests on the test's own connections. */
function open(name: string, port: number): Listener {
  const address = { hostname: '127.0.0.1', port, isShared: true }
  const listener = listen(address, async () => new Response(name))
  opened.push(listener)
  return listener
}

async function ask(socket: Socket): Promise<string> {
  let text = ''
  const read = (bytes: Uint8Array) => {
    text += Buffer.from(bytes).toString('latin1')
  }
  socket.on('data', read)
  socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n')
  const answer = await eventually('an answer', () => /\r\n\r\n(\w+)$/.exec(text)?.[1])
  socket.off('data', read)
  return answer
}

async function askOnNew(port: number): Promise<string> {
  const socket = await openSocket(`http://127.0.0.1:${port}`)
  const answer = await ask(socket)
  socket.destroy()
  return answer
}

test('a listener that stops accepting leaves new connections to the other, and keeps its own', async () => {
  const old = open('old', 0)
  const { port } = old
  const kept = await openSocket(`http://127.0.0.1:${port}`)
  expect(await ask(kept)).toBe('old')
  open('new', port)

  const stopping = old.stopAccepting()
  // Connections that are opened meanwhile wait at most for a repeated handshake; none fails.
  const meanwhile = await Promise.all(Array.from({ length: 20 }, () => askOnNew(port)))
  expect(meanwhile).toHaveLength(20)
  await stopping
  const afterwards = await Promise.all(Array.from({ length: 20 }, () => askOnNew(port)))
  expect(afterwards).toEqual(Array.from({ length: 20 }, () => 'new'))
  expect(await ask(kept)).toBe('old')
  kept.destroy()
  await old.stop()
  expect(await askOnNew(port)).toBe('new')
})

test('a port that is not shared cannot be opened twice', () => {
  const first = listen({ hostname: '127.0.0.1', port: 0 }, async () => new Response())
  opened.push(first)
  expect(() => open('second', first.port)).toThrow(/is taken by another program/)
})
