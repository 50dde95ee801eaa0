import { describe, expect, test } from 'bun:test'
import { type JsonObject, parseJson } from '../../../src/wire/json.ts'
import { eventually } from '../../support/eventually.ts'
import {
  backedModel,
  credentials,
  type KeyName,
  viaModel,
} from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import {
  dig,
  greeting,
  greetingText,
  prompt,
  type TestProtocol,
} from '../../support/protocols/test-protocol.ts'
import { allProtocols, testProtocols } from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()
const path = '/v1/responses'
const { client } = testProtocols.responses
const forgetful = allProtocols.filter(({ name }) => name !== 'responses')

async function begin(to: TestProtocol, extra: JsonObject = {}) {
  const { ask, one } = gateway()
  const said = { ...greeting, id: 'resp_theirs1' }
  one.script('next', { kind: 'reply', body: JSON.stringify(to.upstream.reply(said)) })
  const body = { ...client.body(viaModel(to.name), false), ...extra }
  const reply = await ask({ key: 'any', path, body })
  expect(reply.status).toBe(200)
  return { id: String(reply.json['id']), reply }
}

function read(id: string, key: KeyName = 'any', method = 'GET', rest = '') {
  return gateway().ask({ key, method, path: `${path}/${encodeURIComponent(id)}${rest}` })
}

async function expectGone(id: string, key: KeyName = 'any') {
  const { one, money } = gateway()
  const sent = one.requests.length
  const tries = [
    await read(id, key),
    await read(id, key, 'DELETE'),
    await read(id, key, 'GET', '/input_items'),
    await read(id, key, 'POST', '/cancel'),
  ]
  for (const reply of tries) {
    expect(reply.status).toBe(404)
    expect(client.readFault(reply.json)).toMatchObject({ code: 'not_found', field: 'response_id' })
    expect(reply.text).not.toContain(greetingText)
  }
  expect(one.requests).toHaveLength(sent)
  expect(await money.usageRow(tries[0]?.requestId ?? '')).toMatchObject({
    status: 404,
    cost_nano: 0n,
  })
}

describe('a response that the gateway stores', () => {
  test.each(forgetful)('over $name: is read as it was sent', async (to) => {
    const { money, one } = gateway()
    const { id, reply } = await begin(to)
    const before = await money.counts()
    const again = await read(id)
    expect(again.status).toBe(200)
    expect(again.text).toBe(reply.text)
    expect(again.headers.get('content-type')).toBe('application/json')
    expect(again.headers.get('x-gateway-cost')).toBeNull()
    expect(await money.usageRow(again.requestId)).toMatchObject({
      protocol: 'responses',
      status: 200,
      cost_nano: 0n,
      key_id: 'any',
    })
    expect((await money.counts()).entries).toBe(before.entries)
    expect(one.requests).toHaveLength(1)
  })

  test.each(forgetful)('over $name: lists its input items', async (to) => {
    const { id } = await begin(to)
    const items = await read(id, 'any', 'GET', '/input_items')
    expect(items.status).toBe(200)
    expect(items.json).toMatchObject({
      object: 'list',
      has_more: false,
      data: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] }],
    })
    expect(items.json['first_id']).toBe(dig(items.json, 'data', 0, 'id'))
    expect(items.json['last_id']).toBe(dig(items.json, 'data', -1, 'id'))
    expect(items.text).not.toContain(greetingText)
  })

  test.each(forgetful)('over $name: is deleted once', async (to) => {
    const { ask } = gateway()
    const { id } = await begin(to)
    const deleted = await read(id, 'any', 'DELETE')
    expect(deleted.status).toBe(200)
    expect(deleted.json).toEqual({ id, object: 'response', deleted: true })
    await expectGone(id)
    const body = { ...client.body(viaModel(to.name), false), previous_response_id: id }
    expect((await ask({ key: 'any', path, body })).status).toBe(400)
  })

  test('cannot be cancelled: it never ran in the background', async () => {
    const { id } = await begin(testProtocols.messages)
    const reply = await read(id, 'any', 'POST', '/cancel')
    expect(reply.status).toBe(400)
    expect(client.readFault(reply.json)).toMatchObject({ code: 'invalid_request' })
    expect((await read(id)).status).toBe(200)
  })

  test('does not exist for another key, which cannot delete it either', async () => {
    const { id } = await begin(testProtocols.messages)
    await expectGone(id, 'strict')
    expect((await read(id)).status).toBe(200)
  })

  test('does not exist if it was not stored or has expired', async () => {
    const { clock } = gateway()
    const unstored = await begin(testProtocols.messages, { store: false })
    await expectGone(unstored.id)
    const { id } = await begin(testProtocols.messages)
    clock.freezeAt(Date.now() + 61 * 60_000)
    await expectGone(id)
  })

  test('is encrypted in the database', async () => {
    const { engine } = gateway()
    const { id } = await begin(testProtocols.messages)
    expect((await read(id)).status).toBe(200)
    const text = await eventually('the response is written', async () => {
      const rows = await engine.db.selectFrom('stored_response').selectAll().execute()
      return rows.find((row) => row.id === id)?.content_sealed ?? undefined
    })
    expect(text).not.toContain('Łódź')
    expect(text).not.toContain('morning')
  })

  const strange = ['resp_nobody', '..', '%2e%2e', 'a/b', "x' OR 1=1", 'x'.repeat(3_000), '\u0000']
  test('other ids do not exist', async () => {
    for (const id of strange) {
      const reply = await read(id)
      // A path cannot contain a control character.
      expect(reply.status).toBe(id === '\u0000' ? 400 : 404)
      expect(reply.text.length).toBeLessThan(1_000)
    }
  })

  test('other methods do not exist', async () => {
    const { id } = await begin(testProtocols.messages)
    const put = await read(id, 'any', 'PUT')
    expect(put.status).toBe(405)
    expect(put.headers.get('allow')).toBe('GET, DELETE')
    const post = await read(id, 'any', 'POST', '/input_items')
    expect(post.status).toBe(405)
  })

  test('a key that may not call may not read', async () => {
    const { id } = await begin(testProtocols.messages)
    for (const [key, status] of [
      ['disabled', 401],
      ['suspended', 403],
      ['remote', 403],
    ] as const) {
      expect((await read(id, key)).status).toBe(status)
    }
    const nobody = await gateway().ask({ path: `${path}/${id}` })
    expect(nobody.status).toBe(401)
  })
})

describe('a response that its upstream stores', () => {
  const to = testProtocols.responses

  test('is continued by its own id, with the exact text of the client', async () => {
    const { ask, one } = gateway()
    const { id } = await begin(to)
    expect(id).toBe('resp_theirs1')
    const body = { model: viaModel('responses'), input: 'And now?', previous_response_id: id }
    const reply = await ask({ key: 'any', path, body })
    expect(reply.status).toBe(200)
    expect(one.requests.at(-1)?.body).toBe(JSON.stringify(body))
  })

  test('is read, listed and deleted there, with the gateway’s credential', async () => {
    const { one, money } = gateway()
    const { id } = await begin(to)
    const before = await money.counts()
    const rows = [
      { method: 'GET', rest: '' },
      { method: 'GET', rest: '/input_items' },
      { method: 'POST', rest: '/cancel' },
      { method: 'DELETE', rest: '' },
    ]
    for (const { method, rest } of rows) {
      const theirs = `{ "id":"${id}", "from": "them", "method": "${method}" }`
      one.script('next', { kind: 'reply', body: theirs })
      const reply = await read(id, 'any', method, rest)
      expect(reply.status).toBe(200)
      expect(reply.text).toBe(theirs)
      const sent = one.requests.at(-1)
      expect(sent).toMatchObject({ method, path: `${path}/${id}${rest}`, body: '' })
      expect(sent?.headers['authorization']).toBe(`Bearer ${credentials.one}`)
    }
    await expectGone(id)
    expect((await money.counts()).entries).toBe(before.entries)
  })

  test('is not shown to another key, and the upstream gets no request', async () => {
    const { id } = await begin(to)
    await expectGone(id, 'strict')
    expect(parseJson((await read(id)).text)).toBeDefined()
  })

  test('an upstream that has lost it, or fails', async () => {
    const { one } = gateway()
    const { id } = await begin(to)
    one.script('next', { kind: 'status', status: 404 })
    expect((await read(id)).status).toBe(404)
    for (const status of [401, 429, 500]) {
      one.script('next', { kind: 'status', status, message: `key ${credentials.one}` })
      const reply = await read(id)
      expect(reply.status).toBe(502)
      expect(client.readFault(reply.json)).toMatchObject({ code: 'upstream_error' })
    }
    one.script(({ method }) => method === 'DELETE', { kind: 'reset' })
    expect((await read(id, 'any', 'DELETE')).status).toBe(502)
    // A response that was not deleted there is still known here.
    one.script('next', { kind: 'reply', body: '{}' })
    expect((await read(id)).status).toBe(200)
  })

  test('is continued at no other upstream, even after a failure', async () => {
    const { ask, one, two } = gateway()
    const model = backedModel('responses')
    const said = { ...greeting, id: 'resp_pinned' }
    const answer = { kind: 'reply', body: JSON.stringify(to.upstream.reply(said)) } as const
    one.script('next', answer)
    const first = await ask({ key: 'backed', path, body: client.body(model, false) })
    expect(first.json['id']).toBe('resp_pinned')
    one.script('next', { kind: 'status', status: 500 })
    const body = { ...client.body(model, false), previous_response_id: 'resp_pinned' }
    const reply = await ask({ key: 'backed', path, body })
    expect(reply.status).toBe(502)
    expect(two.requests).toHaveLength(0)
    // A new conversation does use another upstream.
    one.script('next', { kind: 'status', status: 500 })
    expect((await ask({ key: 'backed', path, body: client.body(model, false) })).status).toBe(200)
    expect(two.requests).toHaveLength(1)
  })

  test('is refused for a model that its upstream does not serve', async () => {
    const { ask, one } = gateway()
    const { id } = await begin(to)
    const sent = one.requests.length
    const body = { ...client.body(viaModel('messages'), false), previous_response_id: id }
    const reply = await ask({ key: 'any', path, body })
    expect(reply.status).toBe(400)
    expect(client.readFault(reply.json)).toMatchObject({ code: 'previous_response_not_found' })
    expect(one.requests).toHaveLength(sent)
  })

  test('a response of the second upstream is stored by the gateway, and can be continued anywhere', async () => {
    const { ask, one, two } = gateway()
    const model = backedModel('responses')
    const google = testProtocols['generate-content']
    one.script('next', { kind: 'status', status: 500 })
    two.script('next', { kind: 'reply', body: JSON.stringify(google.upstream.reply(greeting)) })
    const first = await ask({ key: 'backed', path, body: client.body(model, false) })
    const id = String(first.json['id'])
    expect(id).not.toBe('r1')
    const body = { ...client.body(model, false), input: 'And now?', previous_response_id: id }
    expect((await ask({ key: 'backed', path, body })).status).toBe(200)
    const sent = one.requests.at(-1)?.body ?? ''
    expect(sent.indexOf(prompt)).toBeGreaterThan(0)
    expect(sent.indexOf(greetingText)).toBeGreaterThan(sent.indexOf(prompt))
    expect(sent.indexOf('And now?')).toBeGreaterThan(sent.indexOf(greetingText))
    expect(sent).not.toContain('previous_response_id')
  })
})
