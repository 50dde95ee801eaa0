import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'

/* The clock of the gateway and that of the database differ. */

const dayMs = 86_400_000

let fixture: ConsoleFixture
let token: string
beforeAll(async () => {
  fixture = await openConsoleFixture()
  fixture.passTime(3 * dayMs)
  token = await fixture.makeToken(['all'])
  for (const [path] of shown) await call('PATCH', path, { dailyNano: '5000000000' })
})
afterAll(() => fixture.close())

async function call(method: string, path: string, body?: object) {
  const response = await fixture.admin(token, method, path, body && { body })
  expect(response.status).toBe(200)
  return JSON.parse(await response.text())
}

const shown: readonly (readonly [path: string, list: string, name: string])[] = [
  ['/keys/key_a1', '/keys', 'keys'],
  ['/accounts/acme/members?user=u_ann', '/accounts/acme', 'members'],
  ['/accounts/acme', '/accounts', 'accounts'],
]

test.each(shown)(
  'the budget of %s resets when the database begins a new day',
  async (_, list, name) => {
    const nextDay = (Math.floor(Date.now() / dayMs) + 1) * dayMs
    const rows: { readonly budgets: readonly object[] }[] = (await call('GET', list))[name]
    const budgets = rows.flatMap((row) => row.budgets)
    const left = { period: 'day', remainingNano: expect.any(String), resetsAt: nextDay }
    expect(budgets).toEqual([expect.objectContaining(left)])
  },
)
