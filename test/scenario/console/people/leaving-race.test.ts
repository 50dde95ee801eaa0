import { afterEach, describe, expect, test } from 'bun:test'
import { putMember, removeMember } from '../../../../src/accounts/member-store.ts'
import { systemRandom } from '../../../../src/core/id.ts'
import { createKey } from '../../../../src/keys/key-store.ts'
import { makeServiceKey } from '../../../../src/keys/make-service-key.ts'
import { type Writing, write } from '../../../../src/store/changes/write.ts'
import type { FakeUpstream } from '../../../support/fake-upstream/start-fake-upstream.ts'
import { chatBody, type Reply } from '../../../support/gateway/ask.ts'
import { startGateway, type TestGateway } from '../../../support/gateway/start-gateway.ts'
import { testVault } from '../../../support/gateway/test-database.ts'
import { expectOrder } from '../../../support/gateway/with-gateway.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'

/*
 * A member leaves at one replica while requests with the member's key run at another. A replica refuses the key once it
 * has applied the change: at the notification of Postgres, or at the next poll at the latest (`pollEveryMs`).
 */

const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }
const accountId = 'acme'
const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
const costNano = 125_000n
const underWay = 10
const rounds = 20

const gateways: TestGateway[] = []
afterEach(async () => {
  // The first gateway owns the upstreams and the database, so it stops last.
  for (const each of gateways.splice(0).reverse()) await each.stop()
})

async function startPair(engine: 'sqlite' | 'postgres'): Promise<[TestGateway, TestGateway]> {
  const here = await startGateway({ engine })
  gateways.push(here)
  const there = await startGateway({ beside: here })
  gateways.push(there)
  return [here, there]
}

const change = <T>({ engine }: TestGateway, work: (writing: Writing) => Promise<T>) =>
  write(engine, Date.now(), work)

interface Member {
  readonly userId: string
  readonly keyId: string
  readonly value: string
}

async function addMember(gateway: TestGateway, userId: string): Promise<Member> {
  const person = { email: `${userId}@x.org`, password_hash: null, role: 'member', created_at: 1 }
  await gateway.engine.db
    .insertInto('console_user')
    .values({ id: userId, ...person })
    .execute()
  const { id, value } = await change(gateway, async (writing) => {
    await putMember(writing, { userId, accountId, role: 'member' })
    const settings = { accountId, ownerId: userId, name: userId, groups: ['default'] }
    return createKey(writing, tools, settings)
  })
  return { userId, keyId: id, value }
}

const askWith = ({ ask }: TestGateway, value: string, extra = {}): Promise<Reply> =>
  ask({ headers: { authorization: `Bearer ${value}` }, body: chatBody(extra) })

const leave = (gateway: TestGateway, { userId }: Member) =>
  change(gateway, (writing) => removeMember(writing, { userId, accountId }))

/** Delays every answer until `release`, so that all admitted requests run at the same time. */
function holdBack(upstream: FakeUpstream): () => void {
  const gate = Promise.withResolvers<void>()
  upstream.script(
    {},
    {
      kind: 'events',
      headers: { 'content-type': 'application/json' },
      events: [JSON.stringify({ choices: [], usage })],
      end: 'clean',
      gates: [gate.promise],
    },
  )
  return gate.resolve
}

async function spentBy({ engine }: TestGateway, keyId: string) {
  const entries = await engine.db
    .selectFrom('entry')
    .select(['request_id', 'cost_nano'])
    .where('key_id', '=', keyId)
    .execute()
  const spentNano = entries.reduce((total, each) => total + each.cost_nano, 0n)
  return { ids: entries.map((each) => each.request_id).toSorted(), spentNano }
}

async function expectSettledOnce(
  pair: readonly TestGateway[],
  keyId: string,
  answered: readonly Reply[],
): Promise<void> {
  for (const each of pair) await expectOrder(each)
  const [first] = pair
  if (!first) throw new Error('no gateway')
  const { ids, spentNano } = await spentBy(first, keyId)
  expect(ids).toEqual(answered.map(({ requestId }) => requestId).toSorted())
  expect(spentNano).toBe(BigInt(answered.length) * costNano)
}

function raceTests(engine: 'sqlite' | 'postgres'): void {
  test('requests in flight at another replica end and settle once, and no new one is admitted', async () => {
    const pair = await startPair(engine)
    const [here, there] = pair
    const member = await addMember(here, 'u_lee')
    await Promise.all(pair.map(({ node }) => node.follower.catchUp()))
    const release = holdBack(here.one)
    const running = Array.from({ length: underWay }, () => askWith(there, member.value))
    await here.one.whenRequested(underWay)

    await leave(here, member)
    await Promise.all(pair.map(({ node }) => node.follower.catchUp()))
    for (const each of pair) {
      const late = await Promise.all([
        askWith(each, member.value),
        askWith(each, member.value, { stream: true }),
      ])
      expect(late.map(({ status }) => status)).toEqual([401, 401])
    }
    expect(here.one.requests).toHaveLength(underWay)
    // Neither the return of the user nor the conversion of the key revives the value.
    await change(here, (writing) =>
      putMember(writing, { userId: member.userId, accountId, role: 'member' }),
    )
    const value = await change(there, (writing) => makeServiceKey(writing, tools, member.keyId))
    await Promise.all(pair.map(({ node }) => node.follower.catchUp()))
    for (const each of pair) expect((await askWith(each, member.value)).status).toBe(401)
    expect(here.one.requests).toHaveLength(underWay)

    release()
    const answered = await Promise.all(running)
    expect(answered.map(({ status }) => status)).toEqual(running.map(() => 200))
    answered.push(await askWith(there, value))
    expect(answered.at(-1)?.status).toBe(200)
    await expectSettledOnce(pair, member.keyId, answered)
  })

  test(`the key is looked up while its owner leaves, ${rounds} times`, async () => {
    const pair = await startPair(engine)
    const [here, there] = pair
    here.one.script({}, { kind: 'lie-usage', usage })
    for (let round = 0; round < rounds; round += 1) {
      const member = await addMember(here, `u_${round}`)
      // The other replica has never seen the key, so these requests read it from the database.
      const racing = Array.from({ length: 4 }, () => askWith(there, member.value))
      await Promise.all([leave(here, member), racing[0]])
      await Promise.all(pair.map(({ node }) => node.follower.catchUp()))
      const asked = Promise.all(pair.map((each) => askWith(each, member.value)))
      expect((await asked).map(({ status }) => status)).toEqual([401, 401])
      const replies = await Promise.all(racing)
      const answered = replies.filter(({ status }) => status === 200)
      expect(replies.filter(({ status }) => status !== 200 && status !== 401)).toEqual([])
      for (const each of pair) await each.node.ledger.shipped()
      expect((await spentBy(here, member.keyId)).spentNano).toBe(BigInt(answered.length) * costNano)
    }
    for (const each of pair) await expectOrder(each)
  })
}

describe('a member leaves while another replica works, on SQLite', () => raceTests('sqlite'))
const onPostgres = 'a member leaves while another replica works, on Postgres'
if (postgresServerUrl(onPostgres) !== undefined) describe(onPostgres, () => raceTests('postgres'))
