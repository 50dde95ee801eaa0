import { describe, expect, test } from 'bun:test'
import { chatBody } from '../../support/gateway/ask.ts'
import { sendRaw } from '../../support/gateway/send-raw.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()

describe('a base URL that is nearly right', () => {
  const rows: { path: string; hint: string; status?: number }[] = [
    { path: '/chat/completions', hint: 'lacks /v1' },
    { path: '/responses', hint: 'lacks /v1' },
    { path: '/messages', hint: 'lacks /v1' },
    { path: '/models', hint: 'lacks /v1' },
    { path: '/models/gpt-x:generateContent', hint: 'lacks /v1beta' },
    { path: '/v1//chat/completions', hint: 'ends in a slash', status: 400 },
    { path: '/v1/v1/chat/completions', hint: 'already contains /v1,' },
    { path: '/v1/chat/completions/', hint: '/v1/chat/completions exists' },
    { path: '/api/v1/chat/completions', hint: '/v1/chat/completions exists' },
    { path: '/openai/v1/responses', hint: '/v1/responses exists' },
    { path: '/anthropic/v1/messages', hint: '/v1/messages exists' },
    { path: '/v1/openai/chat/completions', hint: '/v1/chat/completions exists' },
  ]
  test.each(rows)('$path', async ({ path, hint, status = 404 }) => {
    const { ask, one } = gateway()
    const reply = await ask({ key: 'plain', path, body: chatBody() })
    expect(reply.status).toBe(status)
    expect(reply.text).toContain(hint)
    expect(one.requests).toHaveLength(0)
  })

  const missing: [path: string, hint: string][] = [
    ['/v1/embeddings', 'It serves /v1/chat/completions, '],
    ['/v1/completions', 'It serves /v1/chat/completions, '],
    ['/v1/threads', 'It serves /v1/chat/completions, '],
    ['/', 'The console is at /console/.'],
  ]
  test.each(missing)('%s does not exist', async (path, hint) => {
    const reply = await gateway().ask({ key: 'plain', path, body: chatBody() })
    expect(reply.status).toBe(404)
    expect(reply.text).toContain(`There is no POST ${path} on this gateway. ${hint}`)
  })

  const visits: [who: string, accept: string, method: string, status: number][] = [
    ['a browser', 'text/html,application/xhtml+xml,*/*;q=0.8', 'GET', 303],
    ['a program', 'application/json', 'GET', 404],
    ['curl', '*/*', 'GET', 404],
    ['a client that posts a form', 'text/html', 'POST', 404],
  ]
  test.each(visits)('%s opens /', async (_, accept, method, status) => {
    const response = await fetch(`${gateway().url}/`, {
      method,
      redirect: 'manual',
      headers: { accept },
    })
    expect(response.status).toBe(status)
    expect(response.headers.get('location')).toBe(status === 303 ? '/console/' : null)
    expect(response.headers.get('x-gateway-request-id')).not.toBeNull()
  })
})

describe('HEAD', () => {
  test.each(['/v1/models', '/v1/models/gpt-x', '/v1beta/models'])(
    'of %s is like GET without the body',
    async (path) => {
      const { url, keys } = gateway()
      const head = await sendRaw(url, [
        `HEAD ${path} HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${keys.plain}\r\nconnection: close\r\n\r\n`,
      ])
      expect(head.status).toBe(200)
      expect(head.text).toEndWith('\r\n\r\n')
      expect((await gateway().ask({ method: 'HEAD', path })).status).toBe(401)
    },
  )

  test('of an endpoint without GET is refused', async () => {
    const reply = await gateway().ask({ key: 'plain', method: 'HEAD' })
    expect(reply.status).toBe(405)
    expect(reply.headers.get('allow')).toBe('POST')
  })
})

describe('the header api-key', () => {
  test('is used if there is no other key', async () => {
    const { ask, one, keys } = gateway()
    expect((await ask({ headers: { 'api-key': keys.plain }, body: chatBody() })).status).toBe(200)
    expect(one.requests[0]?.headers['api-key']).toBeUndefined()
    const wrong = await ask({ headers: { 'api-key': 'wrong' }, body: chatBody() })
    expect(wrong.status).toBe(401)
  })

  test('may repeat the key, but must not contain another one', async () => {
    const { ask, keys } = gateway()
    const headers = { 'api-key': keys.plain }
    const same = await ask({ key: 'plain', path: '/v1/models', headers })
    expect(same.status).toBe(200)
    const other = await ask({ key: 'other', path: '/v1/models', headers })
    expect(other.status).toBe(401)
    expect(other.text).toContain('two different API keys')
  })
})

describe('a wrong key', () => {
  const rows: { name: string; headers: Record<string, string> }[] = [
    { name: 'unknown', headers: { authorization: 'Bearer sk-nothing' } },
    { name: 'none', headers: {} },
    { name: 'two', headers: { authorization: 'Bearer sk-one', 'x-api-key': 'sk-two' } },
  ]
  test.each(rows)('$name: with the text that clients look for', async ({ headers }) => {
    const reply = await gateway().ask({ headers, body: chatBody() })
    expect(reply.status).toBe(401)
    expect(reply.text).toContain('Invalid token')
    // LiteLLM treats any other error of this type as a bad request, whatever its status.
    expect(reply.text).toContain('Incorrect API key provided')
    expect(reply.text).not.toContain('sk-')
  })
})
