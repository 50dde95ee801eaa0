import { describe, expect, test } from 'bun:test'
import { putUpstream } from '../../../src/catalog/upstream-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { secretHint } from '../../../src/core/text/secret-hint.ts'
import { write } from '../../../src/store/changes/write.ts'
import { eventually } from '../../support/eventually.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { credentials, viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { greeting } from '../../support/protocols/test-protocol.ts'
import { testProtocols } from '../../support/protocols/test-protocols.ts'

/** Two accounts at one upstream: neither can read the responses of the other. */
const gateway = withGateway({
  extend: (provision) => ({
    ...provision,
    upstreams: provision.upstreams.map((each) =>
      each.id === 'via-responses'
        ? {
            ...each,
            credentials: Object.entries(credentials).map(([name, value]) => ({ name, value })),
          }
        : each,
    ),
  }),
})

const { client, upstream } = testProtocols.responses
const path = '/v1/responses'

test('a response is read and deleted with whichever credential knows it', async () => {
  const { ask, one } = gateway()
  const body = JSON.stringify(upstream.reply({ ...greeting, id: 'resp_theirs' }))
  one.script('next', { kind: 'reply', body })
  const made = await ask({ key: 'any', path, body: client.body(viaModel('responses'), false) })
  expect(made.status).toBe(200)
  for (const knowing of Object.values(credentials)) {
    const isKnown = (headers: Readonly<Record<string, string>>) =>
      headers['authorization'] === `Bearer ${knowing}`
    one.script(({ headers }) => isKnown(headers), { kind: 'reply', body: '{"from":"them"}' })
    one.script(({ headers }) => !isKnown(headers), { kind: 'status', status: 404 })
    const read = await ask({ key: 'any', method: 'GET', path: `${path}/resp_theirs` })
    expect(read.status).toBe(200)
    expect(read.text).toBe('{"from":"them"}')
    one.reset()
  }
  one.script(() => true, { kind: 'status', status: 404 })
  expect((await ask({ key: 'any', method: 'GET', path: `${path}/resp_theirs` })).status).toBe(404)
  expect(one.requests).toHaveLength(2)
})

describe('continuing a response that its upstream stores', () => {
  const model = viaModel('responses')
  const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }
  const explaining = () => ({ 'x-gateway-explain': gateway().node.operatorToken })
  const bearer = (value: string) => `Bearer ${value}`
  const headerOf = (request: { headers: Readonly<Record<string, string>> } | undefined) =>
    request?.headers['authorization']

  async function enter(entered: Readonly<Record<string, string>>): Promise<void> {
    const { engine, one, ask } = gateway()
    const place = { vendor: 'openai', protocol: 'responses', baseUrl: `${one.url}/v1` }
    await write(engine, Date.now(), (writing) =>
      putUpstream(writing, tools, {
        id: 'via-responses',
        ...place,
        credentials: Object.entries(entered).map(([name, value]) => ({ name, value })),
      }),
    )
    const hints = Object.values(entered).map(secretHint).sort()
    await eventually('the catalogue has them', async () => {
      const body = client.body(model, false)
      const { json } = await ask({ key: 'any', path, headers: explaining(), body })
      const tried = Array.isArray(json['tried']) ? json['tried'] : []
      const seen = tried.map(({ credential }) => String(credential))
      return String(seen.sort()) === String(hints)
    })
  }

  /** Creates a response and returns the credential that was used. */
  async function make(id: string): Promise<string | undefined> {
    const { ask, one } = gateway()
    const body = JSON.stringify(upstream.reply({ ...greeting, id }))
    one.script('next', { kind: 'reply', body })
    expect((await ask({ key: 'any', path, body: client.body(model, false) })).status).toBe(200)
    return headerOf(one.requests.at(-1))
  }

  const goOn = (id: string, headers = {}) => {
    const body = { ...client.body(model, false), previous_response_id: id }
    return gateway().ask({ key: 'any', path, headers, body })
  }

  test.each([1, 2])('uses the credential that created it, time %d', async (time) => {
    const { one } = gateway()
    const id = `resp_made_${time}`
    const made = await make(id)
    for (let turn = 0; turn < 3; turn += 1) {
      const answer = JSON.stringify(upstream.reply({ ...greeting, id: `${id}_${turn}` }))
      one.script('next', { kind: 'reply', body: answer })
      expect((await goOn(id)).status).toBe(200)
      expect(headerOf(one.requests.at(-1))).toBe(made)
    }
    // The next response uses the other credential.
    await make(`resp_between_${time}`)
  })

  test('a rejected credential is not replaced by another one, which could not read the response', async () => {
    const { one, money } = gateway()
    const made = await make('resp_refused')
    one.script({}, { kind: 'status', status: 401 })
    const before = one.requests.length
    for (let turn = 0; turn < 2; turn += 1) {
      const reply = await goOn('resp_refused')
      expect(reply.status).toBe(502)
      expect(await money.attempts(reply.requestId)).toHaveLength(1)
    }
    const asked = one.requests.slice(before)
    expect(asked.map((request) => headerOf(request))).toEqual([made, made])
  })

  test('the explanation leaves out the other credential', async () => {
    await make('resp_explained')
    const { json } = await goOn('resp_explained', explaining())
    expect(json).toMatchObject({
      tried: [{ upstream: 'via-responses' }],
      left_out: [{ upstream: 'via-responses', code: 'other_credential_pinned' }],
    })
  })

  test('a new value under the same name works, a deleted name does not', async () => {
    const { one } = gateway()
    const made = await make('resp_moved')
    const [name = '', other = ''] =
      made === bearer(credentials.one) ? ['one', 'two'] : ['two', 'one']
    await enter({ ...credentials, [name]: 'sk-upstream-rotated-77' })
    one.script('next', { kind: 'reply', body: JSON.stringify(upstream.reply(greeting)) })
    expect((await goOn('resp_moved')).status).toBe(200)
    expect(headerOf(one.requests.at(-1))).toBe(bearer('sk-upstream-rotated-77'))
    await enter({ [other]: credentials.two })
    const before = one.requests.length
    const reply = await goOn('resp_moved')
    expect(reply.status).toBe(400)
    expect(reply.json).toMatchObject({ error: { code: 'previous_response_not_found' } })
    expect(one.requests).toHaveLength(before)
    await enter(credentials)
  })
})
