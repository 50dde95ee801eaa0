import { describe, expect, test } from 'bun:test'
import { CredentialCooldown } from '../../../src/routing/credential-cooldown.ts'
import { CredentialHealth } from '../../../src/routing/credential-health.ts'
import { healthRules as rules } from '../../../src/routing/health-rules.ts'
import { TargetHealth } from '../../../src/routing/target-health.ts'

/*
 * Failures that one account provokes block only that account; failures of several accounts count against the upstream.
 * An installation with one account notices a failure just as quickly.
 */

const chance = 0.5
const stepMs = 100

/** A target after a list of answers: `a-` is a failure of account a, `a+` a success. */
function afterAttempts(attempts: string, beginMs = 1_000_000) {
  const target = new TargetHealth('up', 'model')
  let nowMs = beginMs
  for (const word of attempts.split(/\s+/).filter((each) => each !== '')) {
    nowMs += stepMs
    const account = word.slice(0, -1)
    if (word.endsWith('-')) target.fail(nowMs, nowMs, chance, account)
    else target.succeed(nowMs, nowMs, account)
  }
  return { target, nowMs, mayPass: (account: string) => target.mayPass(nowMs, account) }
}

const times = (count: number, words: string) => Array.from({ length: count }, () => words).join(' ')

interface Row {
  readonly name: string
  readonly attempts: string
  readonly barred: readonly string[]
  readonly free: readonly string[]
  /** Whether the console shows the breaker as open. */
  readonly isOpen: boolean
}

const rows: readonly Row[] = [
  { name: 'one account alone', attempts: times(5, 'a-'), barred: ['a'], free: ['b'], isOpen: true },
  {
    name: 'four failures of one account',
    attempts: times(4, 'a-'),
    barred: [],
    free: ['a', 'b'],
    isOpen: false,
  },
  {
    name: 'one account, while others succeed',
    attempts: `b+ ${times(20, 'a-')} b+`,
    barred: ['a'],
    free: ['b', 'c'],
    isOpen: false,
  },
  {
    name: 'one account, between successes of another',
    attempts: times(30, 'a- a- b+'),
    barred: ['a'],
    free: ['b', 'c'],
    isOpen: false,
  },
  {
    name: 'one account, and a single failure of another',
    attempts: `${times(20, 'a-')} b-`,
    barred: ['a'],
    free: ['b', 'c'],
    isOpen: true,
  },
  {
    name: 'an outage for two accounts',
    attempts: 'a- a- a- b- b-',
    barred: ['a', 'b', 'c'],
    free: [],
    isOpen: true,
  },
  {
    name: 'an outage that many accounts see once each',
    attempts: 'a- b- c- d- e-',
    barred: ['a', 'f'],
    free: [],
    isOpen: true,
  },
  {
    name: 'mostly failures for everybody, with one account far ahead',
    attempts: times(4, 'a- b- a+ b- c-'),
    barred: ['a', 'b', 'c', 'd'],
    free: [],
    isOpen: true,
  },
]

describe('whose failures open a breaker', () => {
  test.each(rows)('$name', ({ attempts, barred, free, isOpen }) => {
    const { target, nowMs, mayPass } = afterAttempts(attempts)
    expect(barred.filter(mayPass)).toEqual([])
    expect(free.filter(mayPass)).toEqual([...free])
    expect(target.openUntilMs > nowMs).toBe(isOpen)
  })

  test('a probe counts for all accounts', () => {
    const target = new TargetHealth('up', 'model')
    for (let count = 0; count < rules.failuresInRow; count += 1) target.fail(1_000, 1_000, chance)
    expect(target.mayPass(1_001, 'a')).toBe(false)
  })

  test('one account cannot lower an upstream’s weight: failures of a blocked account do not count', () => {
    const { target } = afterAttempts(times(200, 'a-'))
    expect(target.healthScore).toBeGreaterThan(0.5)
  })

  test('a blocked account tests the target with one request, and is unblocked by its success', () => {
    const { target, nowMs } = afterAttempts(times(5, 'a-'))
    const laterMs = nowMs + rules.openMs * 2
    expect(target.mayPass(laterMs, 'a')).toBe(true)
    expect(target.enter(laterMs, 'a')).toBe(true)
    expect(target.mayPass(laterMs, 'a')).toBe(false)
    expect(target.mayPass(laterMs, 'b')).toBe(true)
    expect(target.succeed(laterMs, laterMs, 'a')).toBe(true)
    target.leave(true, 'a')
    expect(target.mayPass(laterMs, 'a')).toBe(true)
    expect(target.openUntilMs).toBe(0)
  })

  test('the number of tracked accounts is limited', () => {
    const many = Array.from({ length: rules.accountsMax * 3 }, (_, index) => `x${index}- y+`)
    const { target, nowMs } = afterAttempts(many.join(' '))
    expect(target.mayPass(nowMs, 'y')).toBe(true)
  })
})

describe('a credential that is rejected for one account', () => {
  test('a refusal of one account is not one of another, until that is refused, too', () => {
    const health = new CredentialHealth('up', 'first', 'value')
    health.refuse(1_000, 'a')
    expect(health.mayPass(1_001, 'a')).toBe(false)
    expect(health.mayPass(1_001, 'b')).toBe(true)
    health.refuse(1_002, 'b')
    expect(['a', 'b', 'c'].filter((account) => health.mayPass(1_003, account))).toEqual([])
  })

  test('an unknown credential (401) is unavailable for all accounts', () => {
    const health = new CredentialHealth('up', 'first', 'value')
    health.refuse(1_000, 'a')
    health.refuse(1_001, undefined)
    expect(health.mayPass(1_002, 'c')).toBe(false)
  })

  test('a wait that one account provoked applies only to it, until another account gets the same', () => {
    const rest = new CredentialCooldown()
    rest.begin(1_000, 60_000, 'a')
    expect(rest.untilFor('a')).toBe(61_000)
    expect(rest.untilFor('b')).toBe(0)
    rest.begin(1_001, 60_000, 'b')
    expect(rest.untilFor('c')).toBe(61_001)
  })
})
