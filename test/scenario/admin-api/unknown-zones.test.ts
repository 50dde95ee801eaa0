import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'

/* A replica with other time zone data, or another version, has set a time zone that this gateway does not know. */

const unknownZone = 'Mars/Olympus'

let fixture: ConsoleFixture
let token: string
beforeAll(async () => {
  fixture = await openConsoleFixture()
  token = await fixture.makeToken(['all'])
})
afterAll(() => fixture.close())

async function call(method: string, path: string, body?: object) {
  const response = await fixture.admin(token, method, path, body && { body })
  expect([path, response.status, fixture.errors]).toEqual([path, 200, []])
  return JSON.parse(await response.text())
}

interface Row {
  readonly budgetZone: string
  readonly dailyNano: string | null
  readonly state?: string
  readonly budgets: readonly object[]
}

interface Place {
  readonly path: string
  /** Where the row is shown, with its id. */
  readonly list: string
  readonly rowsOf: (answer: Record<string, Row[]>) => Row[] | undefined
  readonly isIt: (row: object) => boolean
  readonly lose: () => Promise<unknown>
}

const row = { daily_nano: 5_000_000_000n, budget_zone: unknownZone, budget_version: 7 }
const places: readonly (readonly [string, Place])[] = [
  [
    'key',
    {
      path: '/keys/key_a1',
      list: '/keys',
      rowsOf: ({ keys }) => keys,
      isIt: (each) => Bun.deepMatch({ id: 'key_a1' }, each),
      lose: () =>
        fixture.engine.db.updateTable('api_key').set(row).where('id', '=', 'key_a1').execute(),
    },
  ],
  [
    'member',
    {
      path: '/accounts/acme/members?user=u_ann',
      list: '/accounts/acme',
      rowsOf: ({ members }) => members,
      isIt: (each) => Bun.deepMatch({ userId: 'u_ann' }, each),
      lose: () =>
        fixture.engine.db
          .updateTable('membership')
          .set({ ...row, total_nano: 9_000_000_000n })
          .where('account_id', '=', 'acme')
          .where('user_id', '=', 'u_ann')
          .execute(),
    },
  ],
  [
    'account',
    {
      path: '/accounts/acme',
      list: '/accounts',
      rowsOf: ({ accounts }) => accounts,
      isIt: (each) => Bun.deepMatch({ id: 'acme' }, each),
      lose: () =>
        fixture.engine.db.updateTable('account').set(row).where('id', '=', 'acme').execute(),
    },
  ],
]

describe.each(places)('a %s whose budget has an unknown time zone', (_, place) => {
  const read = async () => place.rowsOf(await call('GET', place.list)) ?? []
  let before: Row[]
  beforeEach(async () => {
    before = await read()
    await place.lose()
  })

  test('is listed with its limit and zone, and others are listed as ever', async () => {
    const rows = await read()
    const [own] = rows.filter(place.isIt)
    expect(own).toMatchObject({ budgetZone: unknownZone, dailyNano: '5000000000' })
    expect(own?.budgets.at(-1)).toEqual({
      period: 'day',
      limitNano: '5000000000',
      spentNano: null,
      remainingNano: null,
      resetsAt: null,
      unknownZone,
    })
    expect(rows.filter((each) => !place.isIt(each))).toEqual(
      before.filter((each) => !place.isIt(each)),
    )
    expect(rows).toHaveLength(before.length)
  })

  test('can be changed otherwise, refuses an unknown zone, and gets another zone', async () => {
    await call('PATCH', place.path, { dailyNano: '6000000000' })
    const refused = await fixture.admin(token, 'PATCH', place.path, {
      body: { budgetZone: unknownZone },
    })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('must be a time zone')
    await call('PATCH', place.path, { budgetZone: 'Asia/Tokyo' })
    const [own] = (await read()).filter(place.isIt)
    expect(own).toMatchObject({ budgetZone: 'Asia/Tokyo', dailyNano: '6000000000' })
    expect(own?.budgets.at(-1)).toMatchObject({
      period: 'day',
      limitNano: '6000000000',
      spentNano: expect.any(String),
      remainingNano: expect.any(String),
      resetsAt: expect.any(Number),
    })
    expect(own?.budgets.at(-1)).not.toHaveProperty('unknownZone')
  })
})
