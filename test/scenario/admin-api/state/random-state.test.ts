import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { makeEmptyFile } from '../../../support/gateway/test-database.ts'
import { patience } from '../../../support/patience.ts'
import { freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'
import { repeats } from '../../../support/repeats.ts'
import { hook, makeState } from './random-state.ts'
import { allRows, applied, exported, type MakePlace, openPlace, sums } from './state-place.ts'

const seed = Number(process.env['TEST_SEED'] ?? 1)

describe('any state on SQLite', () => randomTests(makeEmptyFile))
if (postgresServerUrl('any state on Postgres') !== undefined) {
  describe('any state on Postgres', () => randomTests(freshDatabase))
}

interface Exported {
  readonly alerts: readonly { readonly channel: string }[]
  readonly upstreams: readonly { readonly credentials: readonly { readonly name: string }[] }[]
}

/** Adds the secrets that an export omits and an empty gateway lacks. */
function withSecrets(text: string): unknown {
  const document = JSON.parse(text) as Exported
  return {
    ...document,
    upstreams: document.upstreams.map((upstream) => ({
      ...upstream,
      credentials: upstream.credentials.map((each) => ({ ...each, value: `value-of-${seed}` })),
    })),
    alerts: document.alerts.map((alert) => ({
      ...alert,
      ...(alert.channel !== 'email' && { url: hook.url }),
      ...(alert.channel === 'webhook' && { secret: hook.secret }),
    })),
  }
}

/** A model without a price and a recipient who has left cause a warning, which is allowed here. */
function warningsOf({ body }: { body: Record<string, unknown> }): readonly string[] | undefined {
  const all = body['warnings'] as readonly string[] | undefined
  return all?.filter((warning) => !/which has no price|not a verified member/.test(warning))
}

function randomTests(make: MakePlace): void {
  test(
    'applying its export changes no row, and makes an empty gateway equal',
    async () => {
      let done = 0
      let refused = 0
      await fc.assert(
        fc.asyncProperty(fc.gen(), async (drawn) => {
          const place = await openPlace(make)
          const other = await openPlace(make)
          try {
            const made = await makeState(place.fixture, place.token, (arbitrary) =>
              drawn(() => arbitrary),
            )
            done += made.done
            refused += made.refused.length
            other.fixture.passTime(place.fixture.nowMs() - other.fixture.nowMs())
            const text = await exported(place)
            const before = await allRows(place.fixture.engine)
            const again = await applied(place, text)
            expect([again.status, warningsOf(again), again.body['detail']]).toEqual([
              200,
              [],
              undefined,
            ])
            expect(sums(again.body['counts'])).toMatchObject({ created: 0, changed: 0 })
            expect(await allRows(place.fixture.engine)).toEqual(before)
            expect(await exported(place)).toBe(text)
            const yaml = await exported(place, 'yaml')
            const moved = await applied(other, withSecrets(text))
            expect([moved.status, warningsOf(moved), moved.body['detail']]).toEqual([
              200,
              [],
              undefined,
            ])
            expect(sums(moved.body['counts'])).toMatchObject({ changed: 0, same: 0 })
            expect(await exported(other)).toBe(text)
            expect(await exported(other, 'yaml')).toBe(yaml)
            expect([...place.fixture.errors, ...other.fixture.errors]).toEqual([])
          } finally {
            await place.close()
            await other.close()
          }
        }),
        { numRuns: repeats(2), seed, endOnFailure: true },
      )
      // Most of the generated calls succeed; otherwise the states would be empty.
      expect([done, refused, done > 2 * refused]).toEqual([done, refused, true])
    },
    patience(120_000),
  )
}
