import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { changeAccount } from '../../../src/accounts/account-store.ts'
import type { AccountRole } from '../../../src/accounts/definition/member.ts'
import { putMember } from '../../../src/accounts/member-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import type { NewKey } from '../../../src/keys/definition/key.ts'
import { createKey } from '../../../src/keys/key-store.ts'
import { type Writing, write } from '../../../src/store/changes/write.ts'
import { isObject, type JsonObject } from '../../../src/wire/json.ts'
import { eventually } from '../../support/eventually.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { chunk, roleChunk } from '../../support/gateway/chat-events.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { waitOut } from '../../support/gateway/wait-out.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

/*
 * Two balances show what others have spent. So the responses to a member's key do not depend on the balance of the
 * account; service keys and keys of account owners get the figure.
 */

const gateway = withGateway()
const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }
const explains = { 'x-gateway-explain': 'true' }

/** Accounts with different balances that are both too small for the requests below. */
const accounts = ['tight', 'small'] as const
type Account = (typeof accounts)[number]

const holders = {
  'a member': { role: 'member', isInvited: false, learns: false },
  'an owner of the account': { role: 'owner', isInvited: false, learns: true },
  'an invited owner with an unverified address': { role: 'owner', isInvited: true, learns: false },
  'a service key': { role: undefined, isInvited: false, learns: true },
} as const
type Holder = keyof typeof holders
const holderNames = Object.keys(holders) as Holder[]

const change = <T>(work: (writing: Writing) => Promise<T>) =>
  write(gateway().engine, Date.now(), work)

let users = 0
async function addUser(accountId: Account, role: AccountRole, isInvited: boolean): Promise<string> {
  users += 1
  const id = `u_${users}`
  const email = `${id}@x.org`
  const invited = isInvited ? { invited_to: accountId, invited_email: email } : {}
  await gateway()
    .engine.db.insertInto('console_user')
    .values({
      id,
      email: isInvited ? `${email} ${id}` : email,
      password_hash: null,
      role: 'member',
      created_at: 1,
      ...invited,
    })
    .execute()
  await change((writing) => putMember(writing, { userId: id, accountId, role }))
  return id
}

async function addKey(
  accountId: Account,
  holder: Holder,
  limits: Pick<NewKey, 'quotaNano' | 'dailyNano'> = {},
): Promise<{ value: string; ownerId: string | null }> {
  const { role, isInvited } = holders[holder]
  const ownerId = role === undefined ? null : await addUser(accountId, role, isInvited)
  const settings = { accountId, ownerId, name: holder, groups: ['default', 'any'], ...limits }
  const { value } = await change((writing) => createKey(writing, tools, settings))
  const headers = { authorization: `Bearer ${value}` }
  await eventually('the key is known', async () => {
    return (await gateway().ask({ path: '/v1/models', headers })).status === 200
  })
  return { value, ownerId }
}

/** A reply of gpt-x costs up to 0.16 US$; the accounts have 0.02 and 0.05. */
const dear = chatBody({ max_tokens: 16_000 })
const { max_tokens: _, ...open } = chatBody()

async function told(value: string, body: JsonObject, headers: Record<string, string> = {}) {
  const reply = await gateway().ask({
    headers: { authorization: `Bearer ${value}`, ...headers },
    body,
  })
  const text = reply.text.replaceAll(reply.requestId, 'ID')
  const { error } = reply.json
  return { status: reply.status, text, code: isObject(error) ? error['code'] : undefined }
}

const cases: readonly {
  readonly name: string
  readonly body: JsonObject
  readonly limits?: Pick<NewKey, 'quotaNano' | 'dailyNano'>
  /** The monthly budgets of the two accounts, which also differ. */
  readonly monthly?: readonly [bigint, bigint]
  readonly isExplained?: boolean
  readonly code?: string
  /** Texts that clients and people look for. */
  readonly says: RegExp
}[] = [
  {
    name: 'a refusal for lack of credit',
    body: dear,
    code: 'insufficient_credit',
    says: /Insufficient credit: this request needs up to \$0\.16/,
  },
  {
    name: 'a refusal by a quota that is larger than the balance',
    body: dear,
    limits: { quotaNano: 100_000_000n },
    code: 'key_quota_exhausted',
    says: /The quota of this API key is not enough: this request needs up to \$0\.16/,
  },
  {
    name: 'a refusal by a daily budget that is larger than the balance',
    body: dear,
    limits: { dailyNano: 100_000_000n },
    code: 'key_quota_exhausted',
    says: /The daily budget of \$0\.10 for this API key is not enough: this request needs up to \$0\.16/,
  },
  {
    name: 'a refusal by the budget of the account',
    body: dear,
    monthly: [10_000_000n, 15_000_000n],
    code: 'account_budget_exhausted',
    says: /The monthly budget.* for this account is not enough: this request needs up to \$0\.16/,
  },
  {
    name: 'an explained refusal by the budget of the account',
    body: dear,
    monthly: [10_000_000n, 15_000_000n],
    isExplained: true,
    says: /The monthly budget.* for this account is not enough: this request needs up to \$0\.16/,
  },
  {
    name: 'an explained refusal',
    body: dear,
    isExplained: true,
    says: /Insufficient credit: this request needs up to \$0\.16/,
  },
  {
    name: 'an explained answer that would be limited to the balance',
    body: open,
    isExplained: true,
    says: /"kept_within": "limit"/,
  },
  {
    name: 'an explained stream that would be cut into slices',
    body: { ...open, model: viaModel('chat-completions'), stream: true },
    isExplained: true,
    says: /"kept_within": "slices"/,
  },
]

describe.each(cases)('$name', ({ body, limits, monthly, isExplained, code, says }) => {
  const setMonthly = async (nano: readonly (bigint | null)[]) => {
    for (const [at, account] of accounts.entries())
      await change((writing) => changeAccount(writing, account, { monthlyNano: nano[at] ?? null }))
  }
  beforeAll(() => setMonthly(monthly ?? []))
  afterAll(() => setMonthly([]))

  test.each(holderNames)('%s', async (holder) => {
    const answers: Awaited<ReturnType<typeof told>>[] = []
    for (const account of accounts) {
      const { value } = await addKey(account, holder, limits)
      answers.push(await told(value, body, isExplained ? explains : {}))
    }
    for (const answer of answers) {
      expect(answer.status).toBe(isExplained ? 200 : 403)
      expect(answer.code).toBe(code)
      expect(answer.text).toMatch(says)
    }
    const [first, second] = answers.map(({ text }) => text)
    if (holders[holder].learns) expect(first).not.toBe(second ?? '')
    else expect(first).toBe(second ?? '')
  })
})

describe('money that requests in flight hold', () => {
  test.each(holderNames)('%s', async (holder) => {
    const { open: start, one } = gateway()
    const { value } = await addKey('tight', holder)
    one.script('next', { kind: 'events', events: [roleChunk(), chunk('a')], end: 'stall' })
    const leaving = new AbortController()
    const headers = { authorization: `Bearer ${value}` }
    const body = chatBody({ max_tokens: 1_200 })
    await start({ headers, body: { ...body, stream: true }, signal: leaving.signal })
    const { text } = await told(value, body, explains)
    expect(text).toContain('quota_in_flight')
    expect(/is available/.test(text)).toBe(holders[holder].learns)
    leaving.abort()
    await waitOut(gateway())
    await one.requests[0]?.whenAborted
  })
})

describe('a member who becomes an owner, and a member again', () => {
  let key: { value: string; ownerId: string | null }
  beforeAll(async () => {
    key = await addKey('tight', 'a member')
  })

  test.each([
    ['owner', true],
    ['member', false],
  ] as const)('%s', async (role, learns) => {
    const userId = key.ownerId ?? ''
    await change((writing) => putMember(writing, { userId, accountId: 'tight', role }))
    await eventually(
      'the key follows the role',
      async () => /is available/.test((await told(key.value, dear)).text) === learns,
    )
  })
})
