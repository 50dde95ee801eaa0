import { beforeAll, describe, expect, test } from 'bun:test'
import { addSpentBudgets, spentBudgets } from '../../support/gateway/add-spent-budgets.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

/* A budget whose time zone this gateway does not know governs a request. */

const gateway = withGateway()
let values: Awaited<ReturnType<typeof addSpentBudgets>>
beforeAll(async () => {
  const { engine } = gateway()
  values = await addSpentBudgets(engine)
  const lost = { budget_zone: 'Mars/Olympus', budget_version: 7 }
  for (const table of ['api_key', 'membership', 'account'] as const)
    await engine.db
      .updateTable(table)
      .set(lost)
      .where((eb) =>
        eb.or([
          eb('daily_nano', '=', 1_000n),
          eb('weekly_nano', '=', 1_000n),
          eb('monthly_nano', '=', 1_000n),
        ]),
      )
      .execute()
})

const texts = {
  key: [
    'The budget of this API key has',
    'Set another time zone for the key in the console.',
    'the budgets of key ',
  ],
  member: [
    'The budget of the owner of this API key has',
    'Ask an owner of the account to set another time zone.',
    'the budgets of member u_spent',
  ],
  account: [
    'The budget of this account has',
    'Ask the operator of the gateway to set another time zone.',
    'the budgets of account spent-month',
  ],
} as const

describe('an unknown time zone of a budget', () => {
  test.each(spentBudgets.map(({ owner }) => [owner] as const))(
    'of the %s refuses the request and says why',
    async (owner) => {
      const { ask, one, money, logLines } = gateway()
      const [whose, remedy, logged] = texts[owner]
      const message = `${whose} the time zone "Mars/Olympus", which this gateway does not know, so the gateway cannot determine what is left of the budget. ${remedy}`
      const headers = { authorization: `Bearer ${values[owner]}` }
      const path = '/v1/chat/completions'
      const reply = await ask({ path, body: chatBody(), headers })
      expect(reply.status).toBe(503)
      expect(JSON.parse(reply.text)).toMatchObject({ error: { code: 'unavailable', message } })
      // Neither another attempt nor a moment's wait would help.
      expect(reply.headers.get('retry-after')).toBeNull()
      expect(reply.headers.get('x-should-retry')).toBe('false')
      expect(one.requests).toHaveLength(0)
      expect((await money.usageRow(reply.requestId)).reason).toBe('unavailable')
      expect(logLines.join('')).toContain(logged)
      const explained = await ask({
        path,
        body: chatBody(),
        headers: { ...headers, 'x-gateway-explain': 'true' },
      })
      expect(JSON.parse(explained.text).checks.at(-1)).toMatchObject({
        check: 'credit and quota',
        passed: false,
        message,
      })
    },
  )

  test('refuses no other key of the gateway', async () => {
    const { ask } = gateway()
    expect((await ask({ key: 'plain', body: chatBody() })).status).toBe(200)
  })
})
