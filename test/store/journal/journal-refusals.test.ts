import { afterEach, describe, expect, test } from 'bun:test'
import { type Engine, TransientStoreError } from '../../../src/store/engine.ts'
import { patience } from '../../support/patience.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import {
  costing,
  endTest,
  holdRequest,
  openFunds,
  openReplica,
  readFunds,
} from '../ledger/ledger-helpers.ts'
import { holdIn, journalText } from './journal-helpers.ts'

afterEach(endTest)

describe.each(sharedFixtures('journal of refusals'))(
  'rows of refused requests on $kind',
  (fixture) => {
    test(
      'leave a part of the journal to requests that cost money, at any rate of refusals',
      async () => {
        const engine = await fixture.openMigrated()
        await openFunds(engine, { creditNano: 1_000_000n })
        const weather = { isAway: false }
        const troubled: Engine = {
          ...engine,
          applyRecords: (texts) =>
            weather.isAway
              ? Promise.reject(new TransientStoreError('the database is away'))
              : engine.applyRecords(texts),
        }
        const bytesMax = 64 * 1_024
        const { ledger, folder } = await openReplica(
          troubled,
          'r',
          undefined,
          undefined,
          () => undefined,
          { bytesMax },
        )
        const first = holdIn(await ledger.reserve(holdRequest(10n, 'first')))
        await first.admitted
        weather.isAway = true
        let [taken, refused] = [0, 0]
        for (let number = 0; number < 5_000; number += 1) {
          try {
            ledger.record([['uncovered-1', `refused-${number}`, 1]])
            taken += 1
          } catch (error) {
            expect(String(error)).toContain('their part of the journal')
            refused += 1
          }
        }
        expect(taken).toBeGreaterThan(100)
        expect(refused).toBeGreaterThan(1_000)
        expect(journalText(folder).length).toBeLessThan(0.8 * bytesMax)
        // They cause no refusal of a request that pays.
        expect(ledger.trouble).toBeUndefined()
        await first.settleSoon(costing(1n), [])
        holdIn(await ledger.reserve(holdRequest(10n, 'second'))).settle(costing(1n), [])
        weather.isAway = false
        await ledger.shipped()
        // There is room in the journal again.
        ledger.record([['uncovered-1', 'last', 1]])
        await ledger.shipped()
        const rows = await engine.db.selectFrom('uncovered').select('request_id').execute()
        expect(rows).toHaveLength(taken + 1)
        await ledger.close()
        expect(await readFunds(engine)).toMatchObject({ spentNano: 2n })
      },
      patience(60_000),
    )
  },
)
