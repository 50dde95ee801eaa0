import { describe, expect, test } from 'bun:test'
import { changeAccount } from '../../../src/accounts/account-store.ts'
import { putModel, putPrice } from '../../../src/catalog/catalog-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { complete } from '../../../src/fields/definition.ts'
import { keyDefinition } from '../../../src/keys/definition/key.ts'
import { setKeyEnabled, updateKey } from '../../../src/keys/key-store.ts'
import { grantCredit } from '../../../src/ledger/credits.ts'
import { type Writing, write } from '../../../src/store/changes/write.ts'
import { eventually } from '../../support/eventually.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()
const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }

const change = (work: (writing: Writing) => Promise<unknown>) =>
  write(gateway().engine, Date.now(), work)

describe('a change applies to a running gateway', () => {
  test('an account that is suspended and resumed', async () => {
    const { ask } = gateway()
    const codeIs = (code: string | undefined) => async () => {
      const { json } = await ask({ key: 'other', body: chatBody() })
      const error = json['error']
      return code === undefined
        ? error === undefined
        : JSON.stringify(error ?? {}).includes(`"code":"${code}"`)
    }
    expect(await codeIs(undefined)()).toBe(true)
    await change((writing) => changeAccount(writing, 'acme', { status: 'suspended' }))
    await eventually('it is suspended', codeIs('account_suspended'))
    await change((writing) =>
      changeAccount(writing, 'acme', { status: 'active', endsAt: Date.now() - 1 }),
    )
    await eventually('it has ended', codeIs('account_expired'))
    await change((writing) => changeAccount(writing, 'acme', { endsAt: null }))
    await eventually('it is active', codeIs(undefined))
  })

  test('a new price counts for new requests; one that was admitted before keeps the old', async () => {
    const { ask, one, money, engine } = gateway()
    const gate = Promise.withResolvers<void>()
    one.script('next', {
      kind: 'events',
      headers: { 'content-type': 'application/json' },
      events: [JSON.stringify({ choices: [], usage })],
      end: 'clean',
      gates: [gate.promise],
    })
    one.script({}, { kind: 'lie-usage', usage })
    const body = chatBody({ model: 'gpt-y' })
    const early = ask({ key: 'plain', body })
    await one.whenRequested(1)
    const nano = 100_000_000_000n
    await change((writing) =>
      putPrice(writing, tools, 'gpt-y', {
        inputNano: nano,
        cacheReadNano: nano,
        cacheWrite5mNano: nano,
        cacheWrite1hNano: nano,
        outputNano: nano,
        requestNano: 0n,
      }),
    )
    const late = await eventually('the new price', async () => {
      const { requestId } = await ask({ key: 'plain', body })
      const entry = await money.entry(requestId)
      return entry.cost_nano === 125_000n ? undefined : entry
    })
    expect(late.cost_nano).toBe(2_000_000n)
    gate.resolve()
    const entry = await money.entry((await early).requestId)
    expect(entry.cost_nano).toBe(125_000n)
    const versions = await engine.db
      .selectFrom('price_version')
      .selectAll()
      .where('model_id', '=', 'gpt-y')
      .execute()
    const priced = versions.find(({ id }) => id === entry.price_version_id)
    expect(priced?.output_nano).toBe(10_000_000_000n)
  })

  test('a model that gets its first price can be called', async () => {
    const { ask } = gateway()
    const body = chatBody({ model: 'gpt-unpriced' })
    expect((await ask({ key: 'plain', body })).status).toBe(403)
    const nano = 1_000_000_000n
    await change(async (writing) => {
      await putModel(writing, tools, {
        id: 'gpt-unpriced',
        displayName: 'x',
        ownedBy: 'tests',
        contextTokens: null,
        maxOutputTokens: 100,
      })
      await putPrice(writing, tools, 'gpt-unpriced', {
        inputNano: nano,
        cacheReadNano: nano,
        cacheWrite5mNano: nano,
        cacheWrite1hNano: nano,
        outputNano: nano,
        requestNano: 5_000n,
      })
    })
    await eventually(
      'it has a price',
      async () => (await ask({ key: 'plain', body })).status === 200,
    )
  })

  test('a quota that is raised, and one that is lowered below the spent amount', async () => {
    const { ask, one, money } = gateway()
    one.script({}, { kind: 'lie-usage', usage })
    const body = chatBody({ max_tokens: 1_000 })
    const settings = (quotaNano: bigint) =>
      complete(keyDefinition, { accountId: 'acme', name: 'spentQuota', quotaNano })
    expect((await ask({ key: 'spentQuota', body })).status).toBe(403)
    await change((writing) => updateKey(writing, 'spentQuota', settings(20_000_000n)))
    await eventually(
      'it is raised',
      async () => (await ask({ key: 'spentQuota', body })).status === 200,
    )
    await change((writing) => updateKey(writing, 'spentQuota', settings(15_000_000n)))
    expect(await money.imbalances()).toEqual([])
    await change((writing) => updateKey(writing, 'spentQuota', settings(1_000n)))
    await eventually('it is cut', async () => {
      const { json } = await ask({ key: 'spentQuota', body })
      return JSON.stringify(json).includes('key_quota_exhausted')
    })
    // Back above the spent amount, so that no key has a negative amount.
    await change((writing) => updateKey(writing, 'spentQuota', settings(20_000_000n)))
  })

  test('credit that is granted', async () => {
    const { ask, money } = gateway()
    expect((await ask({ key: 'broke', body: chatBody() })).status).toBe(403)
    await change((writing) =>
      grantCredit(writing, {
        id: 'credit-1',
        accountId: 'broke',
        amountNano: 1_000_000_000n,
        source: 'test',
        externalId: '1',
        reason: 'a gift',
        at: Date.now(),
      }),
    )
    expect((await ask({ key: 'broke', body: chatBody() })).status).toBe(200)
    expect(await money.balance('broke')).toBeLessThanOrEqual(1_000_000_000n)
  })
})

describe('a retry is not sent', () => {
  const keyId = 'expiring'
  const disable =
    (id: string) =>
    async ({ tx, announce }: Writing) => {
      await tx.updateTable('upstream').set({ enabled: 0 }).where('id', '=', id).execute()
      announce('catalog', id)
    }
  const changes = [
    {
      what: 'with a key that was disabled during the first attempt',
      make: (writing: Writing) => setKeyEnabled(writing, keyId, false),
      undo: (writing: Writing) => setKeyEnabled(writing, keyId, true),
      status: 401,
    },
    {
      what: 'to an upstream that was disabled during the first attempt',
      make: disable('two'),
      undo: async ({ tx, announce }: Writing) => {
        await tx.updateTable('upstream').set({ enabled: 1 }).where('id', '=', 'two').execute()
        announce('catalog', 'two')
      },
      status: 502,
    },
  ]
  test.each(changes)('$what', async ({ make, undo, status }) => {
    const { ask, one, two, node, money } = gateway()
    const gate = Promise.withResolvers<void>()
    const gates = [gate.promise]
    one.script('next', { kind: 'events', status: 500, events: ['{}'], end: 'clean', gates })
    const asked = ask({ key: keyId, body: chatBody() })
    await one.whenRequested(1)
    await change(make)
    await node.follower.catchUp()
    gate.resolve()
    const reply = await asked
    await change(undo)
    await node.follower.catchUp()
    expect(reply.status).toBe(status)
    expect([one.requests.length, two.requests.length]).toEqual([1, 0])
    expect(await money.usageRow(reply.requestId)).toMatchObject({ status, cost_nano: 0n })
    expect((await money.entry(reply.requestId)).cost_nano).toBe(0n)
    expect((await ask({ key: keyId, body: chatBody() })).status).toBe(200)
  })
})
