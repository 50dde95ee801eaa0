import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Listener, listen } from '../../../src/http-in/listen.ts'
import { eventually } from '../../support/eventually.ts'
import { sendRaw } from '../../support/gateway/send-raw.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-bursts-'))
const children: Bun.Subprocess[] = []
let listener: Listener | undefined

afterEach(async () => {
  for (const child of children.splice(0)) child.kill()
  await listener?.stop()
  listener = undefined
  rmSync(folder, { recursive: true, force: true })
})

/**
 * Opens connections in a separate process, sends a request on each, and creates a file of this name when all are sent.
 */
const crowd = `
import { writeFileSync } from 'node:fs'
const [port, count, file] = process.argv.slice(-3)
let answered = 0
const socket = {
  open(each) { each.write('GET /crowd HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n') },
  data(each) {
    each.end()
    answered += 1
    if (answered === Number(count)) { process.stdout.write(String(answered)); process.exit(0) }
  },
  error() {},
}
const sent = Array.from({ length: Number(count) }, () =>
  Bun.connect({ hostname: '127.0.0.1', port: Number(port), socket }))
await Promise.all(sent)
writeFileSync(file, '')
`

/** Blocks this thread, and with it the listener, until this many requests are in the kernel's queue. */
function crowdTo(port: number, count: number): Bun.Subprocess<'ignore', 'pipe', 'inherit'> {
  const file = mkdtempSync(join(tmpdir(), 'tollgate-burst-'))
  const sent = join(file, 'sent')
  const child = Bun.spawn([process.execPath, '-e', crowd, String(port), String(count), sent], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  children.push(child)
  while (!existsSync(sent)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  rmSync(file, { recursive: true, force: true })
  return child
}

describe('very many connections at once', () => {
  test('are accepted in portions, none is lost, and others are served in between', async () => {
    const count = 300
    let inRound = 0
    let mostInRound = 0
    let rounds = 0
    listener = listen({ hostname: '127.0.0.1', port: 0 }, async (request) => {
      if (inRound === 0) {
        setImmediate(() => {
          rounds += 1
          mostInRound = Math.max(mostInRound, inRound)
          inRound = 0
        })
      }
      inRound += 1
      return new Response(request.url.endsWith('/crowd') ? 'crowd' : 'other')
    })
    const { port } = listener
    // The portions are enabled by the first burst.
    for (const isFirst of [true, false]) {
      mostInRound = 0
      rounds = 0
      const child = crowdTo(port, count)
      const other = sendRaw(`http://127.0.0.1:${port}`, ['GET / HTTP/1.1\r\nHost: a\r\n\r\n'])
      expect(await new Response(child.stdout).text()).toBe(String(count))
      expect((await other).status).toBe(200)
      if (isFirst) continue
      expect(mostInRound).toBeLessThan(100)
      expect(rounds).toBeGreaterThan(3)
    }
  })

  test('the port is free again when the listener has stopped after them', async () => {
    listener = listen({ hostname: '127.0.0.1', port: 0 }, async () => new Response('ok'))
    const { port } = listener
    expect(await new Response(crowdTo(port, 100).stdout).text()).toBe('100')
    await listener.stop()
    listener = listen({ hostname: '127.0.0.1', port }, async () => new Response('again'))
    const { text } = await sendRaw(`http://127.0.0.1:${port}`, [
      'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
    ])
    expect(text).toEndWith('again')
  })
})

describe('very many requests in one piece', () => {
  const gateway = withGateway()

  async function pipelined(request: string, count: number): Promise<string> {
    const { hostname, port } = new URL(gateway().url)
    let text = ''
    let isOver = false
    await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => void socket.write(request.repeat(count)),
        data: (_, bytes) => {
          text += bytes.toString('latin1')
        },
        close: () => {
          isOver = true
        },
        error: () => undefined,
      },
    })
    const answers = () => text.match(/HTTP\/1\.1 \d{3}/g)?.length ?? 0
    await eventually('all are answered or it is over', () => isOver || answers() >= count)
    return text
  }

  const health = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'

  test('a few are all answered', async () => {
    const text = await pipelined(health, 10)
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(10)
    expect(text.toLowerCase()).not.toContain('connection: close')
  })

  test.each([
    ['to the gateway itself', health],
    ['to the console', 'GET /console/ HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['refused', 'GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('no more than a portion is answered, and the last answer says so: %s', async (_, request) => {
    const text = await pipelined(request, 2_000)
    const answers = text.split(/(?=HTTP\/1\.1 \d{3})/)
    expect(answers.length).toBeLessThanOrEqual(16)
    const closing = answers.filter((each) => /^connection: close\r$/im.test(each))
    expect(closing.length).toBeLessThanOrEqual(1)
    if (answers.length === 16) expect(closing).toEqual(answers.slice(-1))
  })

  test('any number is answered one after the other', async () => {
    const socket = Promise.withResolvers<void>()
    const { hostname, port } = new URL(gateway().url)
    let answers = 0
    await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (each) => void each.write(health),
        data: (each, bytes) => {
          answers += bytes.toString('latin1').match(/HTTP\/1\.1 200/g)?.length ?? 0
          if (answers < 200) each.write(health)
          else socket.resolve()
        },
        close: () => socket.resolve(),
        error: () => undefined,
      },
    })
    await socket.promise
    expect(answers).toBe(200)
  })
})
