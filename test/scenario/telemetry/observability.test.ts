import { describe, expect, test } from 'bun:test'
import { parseJson } from '../../../src/wire/json.ts'
import { chatBody, expectNoSecret } from '../../support/gateway/ask.ts'
import { credentials } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()
const prompt = 'a-very-private-prompt'
const answer = 'a-very-private-answer'

/** One request of each kind. */
async function liveADay(): Promise<string[]> {
  const { ask, one, keys } = gateway()
  const messages = [{ role: 'user', content: prompt }]
  const body = chatBody({ messages, model: 'gpt-y', user: 'a-very-private-user' })
  const reply = JSON.stringify({ choices: [{ message: { role: 'assistant', content: answer } }] })
  const headers = { 'x-api-key': keys.plain }
  const message = `bad key ${credentials.one} for ${prompt}`
  const ids: string[] = []
  const note = async (asked: ReturnType<typeof ask>) => ids.push((await asked).requestId)
  one.script('next', { kind: 'reply', body: reply })
  await note(ask({ key: 'plain', body }))
  await note(ask({ headers, body: { ...body, stream: true } }))
  one.script('next', { kind: 'status', status: 500, message: 'it broke' })
  await note(ask({ key: 'plain', body }))
  one.script('next', { kind: 'status', status: 401, message })
  await note(ask({ key: 'plain', body }))
  await note(ask({ key: 'broke', body }))
  await note(ask({ key: 'plain', body: chatBody({ model: 'no-such' }) }))
  await ask({ key: 'disabled', body })
  await ask({ path: `/v1beta/models?key=${keys.plain}` })
  await ask({ path: `/v1beta/models/x:generateContent?key=${keys.disabled}`, body })
  await ask({ path: `/v1beta/nothing?key=${keys.plain}`, body })
  return ids
}

describe('what operators see', () => {
  test('each request that passed authentication has one line with its id', async () => {
    const { logLines } = gateway()
    const ids = await liveADay()
    for (const id of ids) {
      const lines = logLines.filter((line) => line.includes(id) && line.includes('"request"'))
      expect(lines).toHaveLength(1)
      expect(parseJson(lines[0] ?? '')).toMatchObject({
        event: 'request',
        requestId: id,
        protocol: 'chat-completions',
        key: expect.any(String),
        status: expect.any(Number),
        cost: expect.stringMatching(/^\d+\.\d+$/),
      })
    }
    expect(logLines.every((line) => line.endsWith('\n') && parseJson(line) !== undefined)).toBe(
      true,
    )
  })

  test('no line contains a key, a credential, a prompt, an answer or a query', async () => {
    const { logLines, keys } = gateway()
    await liveADay()
    const text = logLines.join('')
    expectNoSecret(text, keys)
    for (const words of [answer, 'a-very-private-user', 'key=', 'sk-']) {
      expect(text).not.toContain(words)
    }
  })

  test('the metrics count, and contain no names of users or keys', async () => {
    const { ask, keys } = gateway()
    await liveADay()
    const { text, status, headers } = await ask({ path: '/metrics' })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toStartWith('text/plain')
    const families = [
      'tollgate_requests_total counter',
      'tollgate_faults_total counter',
      'tollgate_attempts_total counter',
      'tollgate_cost_dollars_total counter',
      'tollgate_input_tokens_total counter',
      'tollgate_output_tokens_total counter',
      'tollgate_request_seconds histogram',
      'tollgate_first_token_seconds histogram',
      'tollgate_requests_in_flight gauge',
      'tollgate_open_holds gauge',
      'process_resident_memory_bytes gauge',
    ]
    for (const family of families) expect(text).toContain(`# TYPE ${family}\n`)
    const count = (series: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')
          .at(-1),
      )
    const requests = 'tollgate_requests_total{protocol="chat-completions"'
    expect(count(`${requests},status="200",reason=""}`)).toBeGreaterThanOrEqual(2)
    expect(count(`${requests},status="502",reason="upstream_error"}`)).toBeGreaterThanOrEqual(2)
    expect(count(`${requests},status="403",reason="insufficient_credit"}`)).toBeGreaterThan(0)
    expect(count('tollgate_faults_total{code="invalid_token"}')).toBeGreaterThan(0)
    expect(count('tollgate_attempts_total{upstream="one",outcome="ok"}')).toBeGreaterThan(0)
    const labels = '{protocol="chat-completions",model="gpt-y",group="default",upstream="one"}'
    for (const name of ['cost_dollars', 'input_tokens', 'output_tokens']) {
      expect([name, count(`tollgate_${name}_total${labels}`) > 0]).toEqual([name, true])
    }
    // An unknown model name of a client is not a label.
    expect(text).not.toContain('no-such')
    expect(count('tollgate_open_holds')).toBe(0)
    expectNoSecret(text, keys)
    for (const words of [prompt, answer, 'no-such', 'NaN', 'undefined']) {
      expect(text).not.toContain(words)
    }
    // Every line is a comment or a series with a number, as Prometheus requires.
    for (const line of text.trimEnd().split('\n')) {
      expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{.*\})? [-+0-9.e]+)$/)
    }
  })
})
