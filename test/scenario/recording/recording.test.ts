import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { RecordingPolicyEdit } from '../../../src/recording/definition/policy.ts'
import { eraseRecordings } from '../../../src/recording/erase-recordings.ts'
import { changePolicy } from '../../../src/recording/policy-store.ts'
import { findRecording } from '../../../src/recording/read-recordings.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { chunk, done, roleChunk } from '../../support/gateway/chat-events.ts'
import { startGateway, type TestGateway } from '../../support/gateway/start-gateway.ts'
import { readStream } from '../../support/gateway/stream-reader.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { waitOut } from '../../support/gateway/wait-out.ts'
import { expectOrder, withGateway } from '../../support/gateway/with-gateway.ts'
import { greeting } from '../../support/protocols/test-protocol.ts'
import { allPairs, allProtocols } from '../../support/protocols/test-protocols.ts'

const bodyBytesMax = 20_000
const options = { recording: { recordingBodyBytesMax: bodyBytesMax } }
const gateway = withGateway(options)

async function choose(edit: RecordingPolicyEdit, at = gateway(), accountId = 'acme') {
  await write(at.engine, at.clock.nowMs(), (writing) => changePolicy(writing, accountId, edit))
  await at.node.follower.catchUp()
}

interface Found {
  readonly status: number
  readonly request: string
  readonly response: string
  readonly endUsers: readonly string[]
  readonly lengths: readonly number[]
}

async function recorded(requestId: string, at = gateway()): Promise<Found | undefined> {
  await at.node.recorder.written()
  const found = await findRecording(at.engine.db, testVault, requestId)
  if (!found) return undefined
  const { head, content } = found
  return {
    status: head.status,
    request: Buffer.from(content.request.bytes).toString(),
    response: Buffer.from(content.response.bytes).toString(),
    endUsers: content.endUsers,
    lengths: [content.request.length, content.response.length],
  }
}

describe('nothing is recorded', () => {
  test('by default', async () => {
    const reply = await gateway().ask({ key: 'plain', body: chatBody() })
    expect(reply.status).toBe(200)
    expect(await recorded(reply.requestId)).toBeUndefined()
    expect(gateway().node.recorder.heldBytes).toBe(0)
  })

  test('for a key that was not chosen, for another account, and after recording was disabled', async () => {
    await choose({ scope: 'keys', keyIds: ['other'] })
    const chosen = await gateway().ask({ key: 'other', body: chatBody() })
    expect(await recorded(chosen.requestId)).toBeDefined()
    const another = await gateway().ask({ key: 'plain', body: chatBody() })
    expect(await recorded(another.requestId)).toBeUndefined()
    await choose({ scope: 'all' })
    const foreign = await gateway().ask({ key: 'tight', body: chatBody() })
    expect(await recorded(foreign.requestId)).toBeUndefined()
    await choose({ scope: 'off' })
    const late = await gateway().ask({ key: 'other', body: chatBody() })
    expect(await recorded(late.requestId)).toBeUndefined()
  })

  test('if the operator allows no recordings', async () => {
    const own = await startGateway({ recording: { isRecordingAllowed: false } })
    await choose({ scope: 'all' }, own)
    const reply = await own.ask({ key: 'plain', body: chatBody() })
    expect(await recorded(reply.requestId, own)).toBeUndefined()
    await expectOrder(own)
    await own.stop()
  })

  test('of a request whose body was not read', async () => {
    await choose({ scope: 'all' })
    const reply = await gateway().ask({ key: 'remote', body: chatBody() })
    expect(reply.status).toBe(403)
    expect(await recorded(reply.requestId)).toBeUndefined()
    expect(gateway().node.recorder.heldBytes).toBe(0)
  })
})

describe('the bodies as the client sent and got them', () => {
  beforeAll(() => choose({ scope: 'all' }))

  test.each(allPairs)('a reply that is not streamed: $pair', async ({ from, to }) => {
    const { ask, one, keys } = gateway()
    one.script('next', { kind: 'reply', body: JSON.stringify(to.upstream.reply(greeting)) })
    const model = viaModel(to.name)
    const body = JSON.stringify(from.client.body(model, false))
    const headers = { ...from.client.keyHeaders(keys.any), 'content-type': 'application/json' }
    const reply = await ask({ path: from.client.path(model, false), headers, body })
    expect(reply.status).toBe(200)
    expect(await recorded(reply.requestId)).toMatchObject({
      status: 200,
      request: body,
      response: reply.text,
    })
  })

  test.each(allPairs)('a stream: $pair', async ({ from, to }) => {
    const { ask, one, keys } = gateway()
    one.script('next', { kind: 'events', events: to.upstream.events(greeting), end: 'clean' })
    const model = viaModel(to.name)
    const body = JSON.stringify(from.client.body(model, true))
    const headers = { ...from.client.keyHeaders(keys.any), 'content-type': 'application/json' }
    const reply = await ask({ path: from.client.path(model, true), headers, body })
    expect(reply.status).toBe(200)
    expect(reply.text).not.toBe('')
    expect(await recorded(reply.requestId)).toMatchObject({
      status: 200,
      request: body,
      response: reply.text,
    })
  })

  test('errors: of the client, of the upstream, and in the middle of a stream', async () => {
    const { ask, one } = gateway()
    const wrong = await ask({ key: 'plain', body: '{"model":' })
    expect(wrong.status).toBe(400)
    expect(await recorded(wrong.requestId)).toMatchObject({
      status: 400,
      request: '{"model":',
      response: wrong.text,
    })
    one.script('next', { kind: 'status', status: 400, message: 'not like this' })
    const refused = await ask({ key: 'plain', body: chatBody() })
    expect(refused.status).toBe(400)
    expect(await recorded(refused.requestId)).toMatchObject({ status: 400, response: refused.text })
    const events = [roleChunk(), chunk('Hello')]
    one.script('next', { kind: 'events', events, end: 'cut' })
    const cut = await ask({ key: 'plain', body: chatBody({ stream: true }) })
    expect(cut.text).toContain('error')
    expect(await recorded(cut.requestId)).toMatchObject({ status: 200, response: cut.text })
  })

  test('a stream up to the moment when the client disconnected', async () => {
    const { open, one } = gateway()
    const never = Promise.withResolvers<void>().promise
    const events = [roleChunk(), chunk('Hello '), chunk('there'), chunk('never sent'), done]
    const gates = [undefined, undefined, undefined, never]
    one.script('next', { kind: 'events', events, end: 'clean', gates })
    const leaving = new AbortController()
    const body = chatBody({ stream: true })
    const stream = readStream(await open({ key: 'plain', body, signal: leaving.signal }))
    const seen = await stream.readUntil('there')
    leaving.abort()
    await waitOut(gateway())
    const found = await recorded(stream.requestId)
    expect(found).toMatchObject({ status: 499 })
    expect(found?.response.startsWith(seen)).toBe(true)
    expect(found?.response).not.toContain('never sent')
  })

  test('long bodies are cut, and their lengths are known', async () => {
    const { ask, one } = gateway()
    const text = 'ü'.repeat(bodyBytesMax)
    one.script('next', {
      kind: 'reply',
      body: JSON.stringify({
        id: 'x',
        object: 'chat.completion',
        choices: [
          { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    })
    const body = JSON.stringify(chatBody({ messages: [{ role: 'user', content: text }] }))
    const reply = await ask({ key: 'plain', headers: { 'content-type': 'application/json' }, body })
    expect(reply.text).toContain(text)
    await gateway().node.recorder.written()
    const found = await findRecording(gateway().engine.db, testVault, reply.requestId)
    const { request, response } = found?.content ?? {}
    expect(request?.bytes.length).toBe(bodyBytesMax)
    expect(response?.bytes.length).toBe(bodyBytesMax)
    expect(request?.length).toBe(Buffer.byteLength(body))
    expect(response?.length).toBe(Buffer.byteLength(reply.text))
  })

  test('the database has neither the bodies nor the end-user id in plain text', async () => {
    const { ask, engine, keys } = gateway()
    const marker = 'a-marker-that-nobody-must-find'
    const body = chatBody({ messages: [{ role: 'user', content: marker }], user: `${marker}-user` })
    const { requestId } = await ask({ key: 'plain', body })
    expect((await recorded(requestId))?.request).toContain(marker)
    const rows = JSON.stringify(await engine.db.selectFrom('recording').selectAll().execute())
    expect(rows).toContain(requestId)
    expect(rows).not.toContain(marker)
    expect(rows).not.toContain(Buffer.from(marker).toString('base64url').slice(0, -2))
    for (const value of Object.values(keys)) expect(rows).not.toContain(value)
  })
})

describe('the end user', () => {
  beforeAll(() => choose({ scope: 'all' }))

  const named: Record<string, [JsonObject, string[]]> = {
    'chat-completions': [{ user: 'ann', safety_identifier: 'hash-of-ann' }, ['hash-of-ann', 'ann']],
    responses: [{ safety_identifier: 'ann', user: 'ann' }, ['ann']],
    messages: [{ metadata: { user_id: 'ann' } }, ['ann']],
    'generate-content': [{ labels: { user_id: 'ann' } }, ['ann']],
  }

  test.each(allProtocols)(
    'of $name is read, and their recordings can be erased',
    async (protocol) => {
      const { ask, keys, one, engine, clock } = gateway()
      const model = viaModel(protocol.name)
      const [fields, endUsers] = named[protocol.name] ?? [{}, []]
      const send = async (extra: JsonObject) => {
        one.script('next', {
          kind: 'reply',
          body: JSON.stringify(protocol.upstream.reply(greeting)),
        })
        const body = { ...protocol.client.body(model, false), ...extra }
        const headers = protocol.client.keyHeaders(keys.any)
        return (await ask({ path: protocol.client.path(model, false), headers, body })).requestId
      }
      const ids = [await send(fields), await send(fields)]
      const nameless = await send({})
      expect((await recorded(ids[0] ?? ''))?.endUsers).toEqual(endUsers)
      expect((await recorded(nameless))?.endUsers).toEqual([])
      const erasure = { accountId: 'acme', nowMs: clock.nowMs() }
      expect(await eraseRecordings(engine, testVault, { ...erasure, endUser: 'an' })).toBe(0)
      expect(await eraseRecordings(engine, testVault, { ...erasure, endUser: 'ann' })).toBe(2)
      for (const id of ids) expect(await recorded(id)).toBeUndefined()
      expect(await recorded(nameless)).toBeDefined()
      // For the next protocol: the erasure also covers requests that begin within its margin.
      await engine.db.deleteFrom('recording_erasure').execute()
    },
  )

  // Of a long id the beginning is stored; an emoji takes two of the units that are counted there.
  test.each([
    ['1,000 letters', 'n'.repeat(1_000)],
    ['600 emoji', '😀'.repeat(600)],
  ])('is erased by an id of %s', async (_, user) => {
    const { ask, engine, clock } = gateway()
    const { requestId } = await ask({ key: 'plain', body: chatBody({ user }) })
    expect((await recorded(requestId))?.endUsers).toHaveLength(1)
    const erasure = { accountId: 'acme', nowMs: clock.nowMs(), endUser: user }
    expect(await eraseRecordings(engine, testVault, erasure)).toBe(1)
    expect(await recorded(requestId)).toBeUndefined()
    await engine.db.deleteFrom('recording_erasure').execute()
  })

  test('is erased while a request of theirs still runs', async () => {
    const { open, one, engine, clock } = gateway()
    const gate = Promise.withResolvers<void>()
    const events = [roleChunk(), chunk('Hello '), chunk('there'), done]
    one.script('next', {
      kind: 'events',
      events,
      end: 'clean',
      gates: [undefined, undefined, gate.promise],
    })
    const body = chatBody({ stream: true, user: 'running' })
    const stream = readStream(await open({ key: 'plain', body }))
    await stream.readUntil('Hello')
    const erasure = { accountId: 'acme', nowMs: clock.nowMs(), endUser: 'running' }
    expect(await eraseRecordings(engine, testVault, erasure)).toBe(0)
    gate.resolve()
    await stream.readAll()
    expect(await recorded(stream.requestId)).toBeUndefined()
  })
})

describe('limits', () => {
  let own: TestGateway
  beforeAll(async () => {
    own = await startGateway({ recording: { recordingAccountBytesMax: 3_000 } })
    await choose({ scope: 'all' }, own)
  })
  afterAll(async () => {
    await expectOrder(own)
    await own.stop()
  })

  test('the oldest recordings of an account make room for new ones, and the sum is exact', async () => {
    const ids: string[] = []
    for (let at = 0; at < 12; at += 1) {
      ids.push((await own.ask({ key: 'plain', body: chatBody() })).requestId)
      await own.node.recorder.written()
    }
    const rows = await own.engine.db
      .selectFrom('recording')
      .selectAll()
      .orderBy('request_id')
      .execute()
    expect(rows.length).toBeGreaterThan(1)
    expect(rows.length).toBeLessThan(12)
    expect(rows.map((row) => row.request_id)).toEqual(ids.slice(-rows.length))
    const sum = rows.reduce((total, row) => total + row.stored_bytes, 0)
    const policy = await own.engine.db.selectFrom('recording_policy').selectAll().executeTakeFirst()
    expect(policy?.stored_bytes).toBe(sum)
    expect(sum).toBeLessThanOrEqual(3_000)
  })

  test('a recording above the limit of the account is dropped and counted', async () => {
    const random = Buffer.from(crypto.getRandomValues(new Uint8Array(9_000))).toString('base64')
    const body = chatBody({ messages: [{ role: 'user', content: random }] })
    const { requestId } = await own.ask({ key: 'plain', body })
    expect(await recorded(requestId, own)).toBeUndefined()
    const metrics = await (await fetch(`${own.url}/metrics`)).text()
    expect(metrics).toContain('tollgate_recordings_dropped_total{reason="size"} 1')
  })
})
