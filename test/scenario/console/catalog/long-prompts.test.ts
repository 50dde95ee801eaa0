import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type {
  ModelDetail,
  StartModelsAnswer,
  UpstreamDetail,
  UsageDetail,
} from '../../../../src/console-api/contract.ts'
import {
  type OperatorFixture,
  openOperatorFixture,
} from '../../../support/console/console-operator-fixture.ts'
import { freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'

describe('the price of long prompts on SQLite', () => longPromptTests())
if (postgresServerUrl('what long prompts cost on Postgres') !== undefined) {
  describe('the price of long prompts on Postgres', () => longPromptTests(freshDatabase))
}

const tokens = (input: string, output: string) => ({
  inputNano: input,
  cacheReadNano: input,
  cacheWrite5mNano: input,
  cacheWrite1hNano: input,
  outputNano: output,
})
const price = { ...tokens('1000', '4000'), requestNano: '0' }
const steps = [
  { aboveTokens: 200_000, ...tokens('2000', '6000') },
  { aboveTokens: 500_000, ...tokens('3000', '8000') },
]
const model = {
  displayName: 'Long',
  ownedBy: 'Example',
  contextTokens: 1_000_000,
  maxOutputTokens: 8_000,
}

function longPromptTests(makeDatabase?: typeof freshDatabase): void {
  let operator: OperatorFixture
  beforeAll(async () => {
    operator = await openOperatorFixture(makeDatabase)
  })
  afterAll(() => operator.close())
  const send: OperatorFixture['send'] = (...call) => operator.send(...call)
  const refusal: OperatorFixture['refusal'] = (...call) => operator.refusal(...call)
  const makeModel = (id: string) =>
    send<ModelDetail>('POST', '/operate/models', {
      id,
      ...model,
      price: { ...price, longPrompts: steps.toReversed() },
    })
  const pricesOf = (id: string) => `/operate/models/${id}/prices`
  const makeUpstream = (id: string) =>
    send<UpstreamDetail>('POST', '/operate/upstreams', {
      id,
      vendor: 'openai',
      protocol: 'any',
      baseUrl: null,
      isEnabled: true,
    })

  test('is set with a price, in any order, and returned with it', async () => {
    const made = await makeModel('long-1')
    expect(made.price?.longPrompts).toEqual(steps)
    const [charged] = (await operator.snapshot()).models.get('long-1')?.prices ?? []
    expect(charged?.tiers?.map(({ aboveTokens }) => aboveTokens)).toEqual([200_000, 500_000])
  })

  test('stays in proportion when a new price does not mention it', async () => {
    await makeModel('in-proportion')
    operator.fixture.passTime(1)
    const doubled = { ...tokens('2000', '8000'), requestNano: '0' }
    const detail = await send<ModelDetail>('POST', pricesOf('in-proportion'), { price: doubled })
    expect(detail.versions[0]?.price.longPrompts).toEqual([
      { aboveTokens: 200_000, ...tokens('4000', '12000') },
      { aboveTokens: 500_000, ...tokens('6000', '16000') },
    ])
  })

  test('is replaced by that of a new price, and removed by an empty list', async () => {
    await makeModel('as-said')
    const path = pricesOf('as-said')
    operator.fixture.passTime(1)
    const one = steps.slice(0, 1)
    const said = await send<ModelDetail>('POST', path, { price: { ...price, longPrompts: one } })
    expect(said.versions[0]?.price.longPrompts).toEqual(one)
    operator.fixture.passTime(1)
    const none = await send<ModelDetail>('POST', path, { price: { ...price, longPrompts: [] } })
    expect(none.versions[0]?.price.longPrompts).toEqual([])
    expect(none.versions[1]?.price.longPrompts).toEqual(one)
  })

  const [first] = steps
  const wrong: readonly (readonly [string, unknown, string])[] = [
    ['a value that is not a list', {}, ''],
    ['a duplicate length', [first, first], ''],
    ['a length of 0', [{ ...first, aboveTokens: 0 }], '.aboveTokens'],
    ['a length that is not whole', [{ ...first, aboveTokens: 1.5 }], '.aboveTokens'],
    ['a negative price', [{ ...first, inputNano: '-1' }], '.inputNano'],
    ['a missing price', [{ aboveTokens: 5, inputNano: '1' }], '.cacheReadNano'],
    [
      'too many tiers',
      Array.from({ length: 21 }, (_, place) => ({ ...first, aboveTokens: place + 1 })),
      '',
    ],
  ]
  test.each(wrong)('%s is refused, and no version is created', async (name, longPrompts, field) => {
    const isTwice = name === 'a duplicate length'
    const id = `refused-${wrong.findIndex(([each]) => each === name)}`
    const before = await makeModel(id)
    expect(await refusal('POST', pricesOf(id), { price: { ...price, longPrompts } })).toEqual([
      isTwice ? 422 : 400,
      isTwice ? 'unprocessable' : 'invalid_request',
      `price.longPrompts${field}`,
    ])
    const after = await send<ModelDetail>('GET', `/operate/models/${id}`)
    expect(after.versions).toEqual(before.versions)
  })

  test('is part of the known prices of a vendor, and the set-up keeps it', async () => {
    const { models } = await send<StartModelsAnswer>('GET', '/operate/vendors/openai/models')
    const stepped = models.find((each) => (each.price.longPrompts ?? []).length > 0)
    if (!stepped) throw new Error('no known model has tiers')
    await makeUpstream('known')
    const { features: _known, longPrompts: _left, ...plain } = stepped.price
    const twice = (nano: string) => String(2n * BigInt(nano))
    await send('POST', '/setup/model', {
      group: 'default',
      upstream: 'known',
      model: stepped.id,
      upstreamModel: stepped.id,
      displayName: stepped.displayName,
      maxOutputTokens: stepped.maxOutputTokens,
      price: { ...plain, inputNano: twice(plain.inputNano) },
    })
    const made = await send<ModelDetail>('GET', `/operate/models/${encodeURIComponent(stepped.id)}`)
    expect(made.price?.longPrompts).toEqual(
      stepped.price.longPrompts?.map((step) => ({ ...step, inputNano: twice(step.inputNano) })),
    )
  })

  test('is the price that the detail of a long request shows', async () => {
    const { db } = operator.fixture.engine
    const entry = await db
      .selectFrom('entry')
      .select(['request_id', 'price_version_id'])
      .where('price_version_id', 'is not', null)
      .limit(1)
      .executeTakeFirstOrThrow()
    await db
      .updateTable('price_version')
      .set({
        tiers: JSON.stringify([{ ...steps[0], aboveTokens: 999 }]),
      })
      .where('id', '=', entry.price_version_id)
      .execute()
    const told = async (inputTokens: number) => {
      await db
        .updateTable('entry')
        .set({
          input_tokens: inputTokens,
          cache_read_tokens: 0,
          cache_write_5m_tokens: 0,
          cache_write_1h_tokens: 0,
        })
        .where('request_id', '=', entry.request_id)
        .execute()
      return (await send<UsageDetail>('GET', `/usage/${entry.request_id}`)).price
    }
    expect(await told(1_000)).toMatchObject({ inputNano: '2000', longPromptAbove: 999 })
    const short = await told(999)
    expect(short?.longPromptAbove).toBeNull()
    expect(short?.inputNano).not.toBe('2000')
  })

  test('whether an upstream bills abandoned answers can be set and reset, and other edits keep it', async () => {
    await makeUpstream('billing')
    const id = '/operate/upstreams/billing'
    const settingOf = async (edit: object) =>
      (await send<UpstreamDetail>('PATCH', id, edit)).settings.billsOnAbort
    const inForce = async () => (await operator.snapshot()).upstreams.get('billing')?.billsOnAbort
    expect(await settingOf({ billsOnAbort: false })).toBe(false)
    expect(await inForce()).toBe(false)
    expect(await settingOf({ concurrencyMax: 3 })).toBe(false)
    expect(await inForce()).toBe(false)
    expect(await settingOf({ billsOnAbort: true })).toBe(true)
    expect(await inForce()).toBe(true)
    expect(await settingOf({ billsOnAbort: null })).toBeNull()
    expect(await inForce()).toBeUndefined()
    expect(await refusal('PATCH', id, { billsOnAbort: 'auto' })).toEqual([
      400,
      'invalid_request',
      'billsOnAbort',
    ])
  })
}
