import { expect, test } from 'bun:test'
import { followSecrets, type SecretState } from '../../../src/app/secrets/follow-secrets.ts'
import type { SecretReading } from '../../../src/config/secret-reader.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import { eventually } from '../../support/eventually.ts'

const retryMs = 30_000
const refreshMs = 300_000

/** Secrets whose content the test decides, on a clock that the test moves. */
function openFixture(texts: readonly string[], options: { refreshMs?: number } = {}) {
  let nowMs = 1_000_000
  let log = ''
  let looked = 0
  const reads: string[] = []
  const adopted: string[] = []
  const rejected = new Set<string>()
  let states: readonly SecretState[] = []
  let answer = async (): Promise<SecretReading | undefined> => ({ value: 'first' })
  const metrics = new Metrics()
  const follower = followSecrets({
    secrets: {
      list: texts.map((text) => ({
        text,
        kind: text.startsWith('file:') ? 'file' : 'exec',
        name: text,
        value: 'first',
      })),
      read: (text) => {
        reads.push(text)
        return answer()
      },
      rebuild: () => {
        throw new Error('not used')
      },
    },
    refreshMs: options.refreshMs ?? refreshMs,
    clock: {
      nowMs: () => nowMs,
      monotonicMs: () => {
        looked += 1
        return nowMs
      },
    },
    log: createLog({ level: 'debug', nowMs: () => nowMs, write: (text) => (log += text) }),
    metrics,
    adopt: async (text, value) => {
      if (value === 'invalid') throw new Error('the value is not valid')
      adopted.push(`${text} ${value}`)
    },
    isRejected: (value) => rejected.has(value),
    onState: (next) => {
      states = next
    },
    limits: { lookEveryMs: 1, settleMs: 1, programsMax: 2 },
  })
  return {
    follower,
    reads,
    adopted,
    rejected,
    metrics,
    log: () => log,
    states: () => states,
    move: (ms: number) => {
      nowMs += ms
    },
    answers: (next: typeof answer) => {
      answer = next
    },
    /** Several checks have passed. */
    looks: () => {
      const wanted = looked + 10
      return eventually('several checks', () => looked > wanted)
    },
  }
}

test('a program runs at its interval, earlier after a failure, and at once on request', async () => {
  const { follower, reads, move, answers, looks, log, states } = openFixture(['exec:token'])
  await looks()
  expect(reads).toEqual([])
  move(refreshMs)
  await eventually('the interval', () => reads.length === 1)
  await looks()
  expect(reads).toHaveLength(1)
  answers(async () => ({ wrong: 'it failed' }))
  follower.readAll()
  await eventually('on request', () => reads.length === 2)
  move(retryMs - 1)
  await looks()
  expect(reads).toHaveLength(2)
  move(1)
  await eventually('after the failure', () => reads.length === 3)
  // A lasting failure has one line.
  expect(log().split('"secret_not_read"')).toHaveLength(2)
  expect(states()[0]?.failure?.why).toBe('it failed')
  answers(async () => ({ value: 'first' }))
  follower.readAll()
  await eventually('the program works again', () => states()[0]?.failure === undefined)
  await follower.stop()
})

test('a rejected secret of a program is read again, at most every half minute, also without an interval', async () => {
  const { follower, reads, move, answers, looks, rejected, adopted } = openFixture(['exec:token'], {
    refreshMs: 0,
  })
  move(10 * refreshMs)
  await looks()
  expect(reads).toEqual([])
  rejected.add('first')
  await eventually('the rejection', () => reads.length === 1)
  await looks()
  expect(reads).toHaveLength(1)
  move(retryMs)
  answers(async () => ({ value: 'second' }))
  await eventually('the next attempt', () => adopted.length === 1)
  // The new value is not the rejected one.
  move(10 * retryMs)
  await looks()
  expect(reads).toHaveLength(2)
  expect(adopted).toEqual(['exec:token second'])
  await follower.stop()
})

test('each secret is read once at a time, and few programs at the same time', async () => {
  const texts = ['exec:a', 'exec:b', 'exec:c', 'file:d']
  const { follower, reads, move, answers, looks } = openFixture(texts)
  const ends: (() => void)[] = []
  answers(() => {
    const { promise, resolve } = Promise.withResolvers<SecretReading>()
    ends.push(() => resolve({ value: 'first' }))
    return promise
  })
  move(refreshMs)
  follower.readAll()
  await looks()
  expect(reads.toSorted()).toEqual(['exec:a', 'exec:b', 'file:d'])
  for (const end of ends) end()
  await eventually('the third program', () => reads.includes('exec:c'))
  const stopped = follower.stop()
  for (const end of ends) end()
  await stopped
})

test('a file that is being written, an invalid value and a pipe change nothing', async () => {
  const { follower, move, answers, looks, adopted, log, metrics } = openFixture(['file:key'])
  let count = 0
  answers(async () => {
    count += 1
    return { value: `piece-${count}` }
  })
  move(60_000)
  await eventually('several readings', () => {
    move(60_000)
    return count > 4
  })
  expect(adopted).toEqual([])
  answers(async () => ({ value: 'invalid' }))
  await eventually('it is refused', () => {
    move(60_000)
    return log().includes('the value is not valid')
  })
  answers(async () => undefined)
  move(60_000)
  await looks()
  expect(adopted).toEqual([])
  answers(async () => ({ value: 'whole' }))
  await eventually('the whole value', () => {
    move(60_000)
    return adopted.length === 1
  })
  expect(adopted).toEqual(['file:key whole'])
  const shown = metrics.render()
  expect(shown).toMatch(/^tollgate_secret_reads_total\{result="changed"\} 1$/m)
  expect(shown).toMatch(/^tollgate_secrets_failing 0$/m)
  expect(log()).not.toMatch(/piece-|whole/)
  await follower.stop()
})
