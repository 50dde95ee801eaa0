import { describe, expect, test } from 'bun:test'
import { BudgetTerms } from '../../../src/ledger/budgets/budget-terms.ts'
import { LeasePool } from '../../../src/ledger/leases/lease-pool.ts'
import {
  collectIdle,
  mayHelp,
  type ShortFunds,
  shortFundsOf,
} from '../../../src/ledger/leases/short-funds.ts'

const noMarks = { kindsAtMs: 0, formerMs: 0 }
const versions = { key: 1, account: 1, member: 1 }

/** Terms with one total for each owner. */
function termsOf(...ids: readonly string[]): BudgetTerms {
  const owners = ids.map((id) => ({
    owner: { kind: 'member' as const, accountId: 'a', id },
    limits: {
      totalNano: 100n,
      dailyNano: null,
      weeklyNano: null,
      monthlyNano: null,
      zone: 'UTC',
      monthDay: 1,
      alertPercent: null,
      marks: noMarks,
    },
  }))
  return new BudgetTerms({ versions, owners }, 0)
}

const [member] = termsOf('u').counters
if (!member) throw new Error('the terms have a counter')
const memberPart = (freeNano: bigint, heldNano: bigint) => [{ counter: member, freeNano, heldNano }]
const free = (freeNano: bigint, heldNano = 0n) => ({ freeNano, heldNano })
const plenty = free(1_000n, 50n)

/** A hold of 10. The last value: which of account, key and member are short, and whether the whole hold is payable. */
const cases = [
  ['the quota is spent', plenty, free(0n), [], undefined],
  ['a budget is spent', plenty, undefined, memberPart(0n, 0n), undefined],
  ['a lowered limit is overspent', plenty, undefined, memberPart(-20n, 5n), undefined],
  ['too little is left, and nothing is leased', plenty, free(9n), [], undefined],
  ['a spent budget, and an account that is short', free(0n, 50n), free(0n), [], undefined],
  ['leases of the key have it', plenty, free(0n, 10n), [], 'key'],
  ['leases of the member have it', plenty, undefined, memberPart(9n, 1n), 'member'],
  ['leases of the account have it', free(3n, 7n), free(10n), [], 'account'],
  ['leases of all have it', free(3n, 7n), free(9n, 1n), memberPart(0n, 10n), 'account key member'],
  ['the leases have a part of it', plenty, free(1n, 8n), [], 'key, a part'],
  ['the account has a part of it in leases', free(1n, 8n), free(9n), [], 'account, a part'],
  ['an account that is short for more than the quota', free(5n, 50n), free(5n), [], undefined],
  ['the money has come back', plenty, free(10n), memberPart(10n, 0n), ''],
] as const

test.each(cases)('%s', (_, account, key, parts, expected) => {
  const short = shortFundsOf({ account, key }, parts, 10n)
  expect(short && nameOf(short)).toBe(expected)
})

function nameOf({ isAccountShort, isKeyShort, counterIds, isPayable }: ShortFunds): string {
  const names = [
    ...(isAccountShort ? ['account'] : []),
    ...(isKeyShort ? ['key'] : []),
    ...(counterIds.has(member?.id ?? '') ? ['member'] : []),
  ]
  return names.join(' ') + (isPayable ? '' : ', a part')
}

const nothing: ShortFunds = {
  isAccountShort: false,
  isKeyShort: false,
  counterIds: new Set(),
  isPayable: true,
}
const ofKey = { ...nothing, isKeyShort: true }

test.each([
  ['the account', { ...nothing, isAccountShort: true }, 'other', [], true],
  ['the key', ofKey, 'k', [], true],
  ['the key', ofKey, 'other', ['u'], false],
  ['the member', { ...nothing, counterIds: new Set([member.id]) }, 'other', ['u', 'v'], true],
  ['the member', { ...nothing, counterIds: new Set([member.id]) }, 'other', ['v'], false],
  ['nothing', nothing, 'k', ['u'], false],
] as const)('when %s is short, leases may help: %#', (_, short, keyId, counters, expected) => {
  const pool = new LeasePool(keyId, 'a')
  pool.terms = termsOf(...counters)
  expect(mayHelp(short, pool, 'k')).toBe(expected)
})

test('a lease under former terms may help', () => {
  const pool = new LeasePool('other', 'a')
  pool.leases.push({
    id: 'l',
    terms: termsOf('u'),
    grantedNano: 5n,
    usedNano: 0n,
    version: 1,
    heldNano: 0n,
    holds: 0,
    unshipped: 0,
    renewedMs: 0,
    isGone: false,
  })
  expect(mayHelp({ ...nothing, counterIds: new Set([member.id]) }, pool, 'k')).toBe(true)
})

describe('collecting idle money', () => {
  /** `given`: whether each round returns something. */
  async function collect(
    found: readonly (ShortFunds | undefined)[],
    given: readonly boolean[],
    granted: readonly boolean[],
  ) {
    const calls: string[] = []
    const next = <Value>(name: string, values: readonly Value[]): Value | undefined => {
      calls.push(name)
      return values[calls.filter((each) => each === name).length - 1]
    }
    const result = await collectIdle({
      findShort: async () => next('find', found),
      giveBack: async () => next('give', given) ?? false,
      fetch: async () => next('fetch', granted) ?? false,
    })
    return { result, calls: calls.join(' ') }
  }

  test.each([
    ['no lease can help', [undefined], [], [], false, 'find'],
    ['the money is idle', [ofKey], [true], [true], true, 'find give fetch'],
    ['it is in use', [ofKey], [false], [], ofKey, 'find give'],
    [
      'something else is short then',
      [ofKey, ofKey],
      [true, true],
      [false, true],
      true,
      'find give fetch find give fetch',
    ],
    [
      'others always take it',
      [ofKey, ofKey, ofKey],
      [true, true, true],
      [],
      ofKey,
      'find give fetch find give fetch find give fetch',
    ],
    [
      'only a part is there',
      [{ ...ofKey, isPayable: false }, undefined],
      [true],
      [],
      false,
      'find give find',
    ],
    ['the money has come back', [nothing], [false], [true], true, 'find give fetch'],
  ] as const)('%s', async (_, found, given, granted, result, calls) => {
    expect(await collect(found, given, granted)).toEqual({ result, calls })
  })
})
