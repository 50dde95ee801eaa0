import { afterAll, describe, expect, test } from 'bun:test'
import { terminals } from './run-line.ts'

const open = terminals()
const stops: (() => void)[] = []
afterAll(() => {
  for (const stop of stops) stop()
})

/** A server that answers `/readyz` like a gateway. */
function listen(hostname: string, status: number, text: string): number {
  const server = Bun.serve({
    hostname,
    port: 0,
    fetch: (request) =>
      new URL(request.url).pathname === '/readyz'
        ? new Response(text, { status })
        : new Response('another path', { status: 500 }),
  })
  stops.push(() => void server.stop(true))
  return server.port ?? 0
}

describe('tollgate health', () => {
  const answers = [
    { bound: '127.0.0.1', named: '127.0.0.1', status: 200, text: 'ready\n', code: 0 },
    { bound: '0.0.0.0', named: '', status: 200, text: 'ready\n', code: 0 },
    { bound: '127.0.0.1', named: '127.0.0.1', status: 503, text: 'draining\n', code: 1 },
    { bound: '127.0.0.1', named: '127.0.0.1', status: 404, text: '', code: 1 },
  ]
  for (const { bound, named, status, text, code } of answers) {
    test(`${status} on ${named || 'every interface'} is exit code ${code}`, async () => {
      const port = listen(bound, status, text)
      const said = await open().run(`health --listen ${named}:${port}`)
      expect([said.code, said.out.trim(), said.err]).toEqual([code, text.trim(), ''])
    })
  }

  test('no server is listening: one sentence, exit code 1', async () => {
    const port = listen('127.0.0.1', 200, '')
    stops.pop()?.()
    const said = await open().run(`health --listen 127.0.0.1:${port}`)
    expect(said.code).toBe(1)
    expect(said.err).toMatch(
      /^tollgate: The gateway at http:\/\/127\.0\.0\.1:\d+\/readyz does not answer: .+\n$/,
    )
  })

  test('the variable names the address; port 0 and --url are refused', async () => {
    const terminal = open()
    const port = listen('127.0.0.1', 200, 'ready\n')
    const env = { TOLLGATE_LISTEN: `127.0.0.1:${port}` }
    expect((await terminal.run('health', { env })).code).toBe(0)
    expect((await terminal.run('health --listen :0')).code).toBe(2)
    expect((await terminal.run('health --url https://models.example.com')).code).toBe(2)
  })
})
