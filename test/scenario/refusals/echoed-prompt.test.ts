import { afterAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { eventually } from '../../support/eventually.ts'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { expectOrder, withGateway } from '../../support/gateway/with-gateway.ts'
import { startOtlpReceiver } from '../../support/otlp-receiver.ts'
import { prompt } from '../../support/protocols/test-protocol.ts'
import { allProtocols } from '../../support/protocols/test-protocols.ts'

/*
 * Upstreams quote the request in their errors. The client that sent the request may read the quotation; it must not
 * appear in anything that the gateway keeps or sends elsewhere.
 */

const receiver = startOtlpReceiver()
const gateway = withGateway({ telemetry: { otlpEndpoint: receiver.url, traceUpstreams: ['*'] } })
afterAll(() => receiver.stop())

/** In every field of an error that may contain text, in any protocol. */
const words = {
  message: `cannot answer "${prompt}"`,
  type: prompt,
  code: prompt,
  param: prompt,
  status: prompt,
  details: [{ reason: prompt }],
}
const body = JSON.stringify({ type: 'error', error: words, message: prompt, detail: prompt })
const json = { 'content-type': 'application/json' }
const stream = { 'content-type': 'text/event-stream' }

const statuses = [400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529]
const echoes: readonly [string, Behaviour][] = [
  ...statuses.map((status): [string, Behaviour] => [
    `status ${status}`,
    { kind: 'reply', status, headers: json, body },
  ]),
  ['an error that is not JSON', { kind: 'reply', status: 500, body: prompt }],
  ['a reply that is not JSON', { kind: 'reply', headers: json, body: `{"${prompt}": ` }],
  [
    'a reply of no protocol',
    { kind: 'reply', headers: json, body: JSON.stringify({ [prompt]: 1 }) },
  ],
  ['an error in a reply with status 200', { kind: 'reply', headers: json, body }],
  [
    'an unusual content type',
    {
      kind: 'reply',
      headers: { 'content-type': `text/${encodeURIComponent(prompt)}` },
      body: prompt,
    },
  ],
  [
    'a redirect',
    {
      kind: 'reply',
      status: 302,
      headers: { location: `/${encodeURIComponent(prompt)}` },
      body: '',
    },
  ],
  [
    'an error event',
    { kind: 'events', headers: stream, events: [`event: error\ndata: ${body}\n\n`], end: 'clean' },
  ],
  [
    'an event that is not JSON',
    { kind: 'events', headers: stream, events: [`data: {"${prompt}\n\n`], end: 'cut' },
  ],
]

/** The content of all tables, as text. */
async function storedText(): Promise<string> {
  const { engine } = gateway()
  const { rows: tables } = await sql<{ name: string }>`SELECT name FROM sqlite_master
    WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`.execute(engine.db)
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql`SELECT * FROM ${sql.table(name)}`.execute(engine.db)
    texts.push(
      JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    )
  }
  return texts.join('\n')
}

describe('a prompt that an upstream quotes in its error', () => {
  test.each(echoes)('%s: it is in no log line, metric, trace or row', async (_, behaviour) => {
    const { ask, one, logLines } = gateway()
    const quoted = [prompt, encodeURIComponent(prompt)]
    const linesBefore = logLines.length
    for (const from of allProtocols) {
      for (const to of allProtocols) {
        for (const isStream of [false, true]) {
          one.script('next', behaviour)
          const model = viaModel(to.name)
          const reply = await ask({
            key: 'any',
            path: from.client.path(model, isStream),
            body: from.client.body(model, isStream),
          })
          expect(reply.status).toBeGreaterThan(0)
          one.reset()
          gateway().node.routing.forget()
        }
      }
    }
    const lines = (): string => logLines.slice(linesBefore).join('')
    expect(lines()).toContain('upstream_failed')
    const { text: metrics } = await ask({ path: '/metrics' })
    await expectOrder(gateway())
    const kept = [lines(), metrics, receiver.texts.join(''), await storedText()]
    for (const text of kept) for (const each of quoted) expect(text).not.toContain(each)
  })

  test('the log names the upstream, the status and the error by names that the gateway knows', async () => {
    const { ask, one, logLines } = gateway()
    const error = {
      message: prompt,
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
    }
    one.script('next', {
      kind: 'reply',
      status: 400,
      headers: json,
      body: JSON.stringify({ error }),
    })
    const { status, requestId, text } = await ask({
      key: 'any',
      path: '/v1/chat/completions',
      body: { model: viaModel('chat-completions'), messages: [{ role: 'user', content: prompt }] },
    })
    expect(status).toBe(400)
    expect(text).toContain(prompt)
    const line = await eventually('the line', () =>
      logLines.find((each) => each.includes(requestId) && each.includes('upstream_failed')),
    )
    expect(JSON.parse(line)).toMatchObject({
      code: 'upstream_rejected',
      why: 'upstream via-chat-completions answered 400 (invalid_request_error, context_length_exceeded)',
    })
  })
})
