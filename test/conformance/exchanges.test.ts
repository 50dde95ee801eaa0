import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { protocolNames } from '../../src/core/neutral/protocol-name.ts'
import type { Exchange, ExchangeFile } from '../support/exchanges/exchange.ts'
import { features, oneForm } from '../support/exchanges/features.ts'
import { printExchanges } from '../support/exchanges/print-exchanges.ts'
import { exchangePath, indexPath, readExchangeFiles } from '../support/exchanges/read-exchanges.ts'
import { recordFile } from '../support/exchanges/record-exchange.ts'
import { renderIndex } from '../support/exchanges/render-index.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../support/fake-upstream/start-fake-upstream.ts'
import { exchangeProblems } from './exchange-problems.ts'

const files = readExchangeFiles()
const bytesMax = 1_500_000
const repair = 'after a change that is meant: npm run record-exchanges, and read the difference'

function formsOf({ exchanges }: ExchangeFile): string[] {
  const formOf = ({ stream }: Exchange) => (stream === undefined ? 'whole' : 'stream')
  return [...new Set(exchanges.map(formOf))].toSorted()
}

describe(`every protocol has an exchange of every feature (${repair})`, () => {
  for (const [feature, gaps] of Object.entries(features)) {
    for (const protocol of protocolNames) {
      const why = gaps[protocol]
      const claim = why === undefined ? 'is there' : `is not there: the protocol ${why}`
      test(`${protocol} ${feature} ${claim}`, () => {
        const file = files.find((each) => each.feature === feature && each.protocol === protocol)
        if (why !== undefined) return expect(file).toBeUndefined()
        const form =
          oneForm[feature] ??
          (feature.startsWith('error-4') || feature.startsWith('error-5') ? 'whole' : undefined)
        const forms = form === undefined ? ['stream', 'whole'] : [form]
        expect(file && formsOf(file)).toEqual(expect.arrayContaining(forms))
      })
    }
  }

  test('no file is missing in the table', () => {
    const strange = files.filter(({ feature }) => features[feature] === undefined)
    expect(strange.map(({ protocol, feature }) => `${protocol}/${feature}`)).toEqual([])
  })

  test('the index lists exactly the existing files', () => {
    expect(readFileSync(indexPath, 'utf8')).toBe(renderIndex(files))
  })
})

describe(`every exchange has the feature of its name (${repair})`, () => {
  let upstream: FakeUpstream
  beforeAll(async () => {
    upstream = await startFakeUpstream()
  })
  afterAll(() => upstream.stop())

  for (const file of files) {
    const { protocol, feature, exchanges } = file
    test(`${protocol} ${feature}: is valid, has the common layout, and matches the upstream’s response`, async () => {
      expect(exchanges.flatMap((exchange) => exchangeProblems(file, exchange))).toEqual([])
      expect(new Set(exchanges.map(({ name }) => name)).size).toBe(exchanges.length)
      const text = readFileSync(exchangePath(protocol, `${feature}.json`), 'utf8')
      const again = await recordFile(upstream, file)
      expect(printExchanges(again.exchanges)).toBe(text)
    })
  }

  test('all exchanges together stay small', () => {
    const sizes = files.map(
      ({ protocol, feature }) => readFileSync(exchangePath(protocol, `${feature}.json`)).byteLength,
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(bytesMax)
  })
})
