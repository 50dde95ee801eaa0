import { expect, test } from 'bun:test'
import { putMember, removeMember } from '../../../src/accounts/member-store.ts'
import { deleteResponses } from '../../../src/conversations/response-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { createKey } from '../../../src/keys/key-store.ts'
import { makeServiceKey } from '../../../src/keys/make-service-key.ts'
import { type Writing, write } from '../../../src/store/changes/write.ts'
import { eventually } from '../../support/eventually.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { greeting, greetingText } from '../../support/protocols/test-protocol.ts'
import { allProtocols, testProtocols } from '../../support/protocols/test-protocols.ts'

/*
 * A user leaves while requests of the user are running, and an owner converts the key: whoever has the new value reads
 * no response of the former owner, also not one that ends after the conversion.
 */

const gateway = withGateway()
const path = '/v1/responses'
const { client } = testProtocols.responses
const accountId = 'acme'
const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }
const change = <T>(work: (writing: Writing) => Promise<T>) =>
  write(gateway().engine, Date.now(), work)
const bearer = (value: string) => ({ authorization: `Bearer ${value}` })

let people = 0

async function addMemberKey() {
  people += 1
  const userId = `u_converted_${people}`
  const email = `converted-${people}@x.org`
  const person = { password_hash: null, role: 'member', created_at: 1 }
  await gateway()
    .engine.db.insertInto('console_user')
    .values({ ...person, id: userId, email })
    .execute()
  const key = await change(async (writing) => {
    await putMember(writing, { userId, accountId, role: 'member' })
    const settings = { accountId, ownerId: userId, name: 'theirs', groups: ['any'] }
    return createKey(writing, tools, settings)
  })
  return { userId, ...key }
}

test.each(allProtocols)('over $name', async (to) => {
  const { ask, one } = gateway()
  const { userId, id: keyId, value } = await addMemberKey()
  const isServed = (some: string) => async () =>
    (await ask({ headers: bearer(some), path: '/v1/models' })).status === 200
  await eventually('the key is served', isServed(value))
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const said = { ...greeting, id: `resp_theirs${people}` }
  one.reset()
  one.script('next', {
    kind: 'events',
    events: [JSON.stringify(to.upstream.reply(said))],
    gates: [gate],
    end: 'clean',
    headers: { 'content-type': 'application/json' },
  })
  const body = { ...client.body(viaModel(to.name), false) }
  const running = ask({ headers: bearer(value), path, body })
  await one.whenRequested(1)
  await change((writing) => removeMember(writing, { userId, accountId }))
  const newValue = await change(async (writing) => {
    const minted = await makeServiceKey(writing, tools, keyId)
    await deleteResponses(writing, keyId)
    return minted
  })
  open()
  const reply = await running
  expect(reply.status).toBe(200)
  expect(reply.text).toContain(greetingText)
  await eventually('the new value works', isServed(newValue))
  const responseId = String(reply.json['id'])
  const headers = bearer(newValue)
  for (const rest of ['', '/input_items']) {
    await eventually(`nobody finds the response${rest}`, async () => {
      const { status } = await ask({ headers, path: `${path}/${responseId}${rest}` })
      return status === 404
    })
  }
  const next = { ...body, input: 'And now?', previous_response_id: responseId }
  const refused = await ask({ headers, path, body: next })
  expect(refused.json['error']).toMatchObject({ code: 'previous_response_not_found' })
})
