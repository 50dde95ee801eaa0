import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { patience } from '../support/patience.ts'
import { readDocument, tableRows } from '../unit/docs/table-rows.ts'
import { type StartedGateway, startGateway } from './started-gateway.ts'

const startMs = patience(60_000)
/** Other tables of the page tell of settings. */
const metricKinds = new Set(['counter', 'gauge', 'histogram'])

describe('docs/metrics.md', () => {
  let gateway: StartedGateway | undefined
  beforeAll(async () => {
    gateway = await startGateway()
  }, startMs)
  afterAll(() => gateway?.stop(), startMs)

  test('describes exactly the metrics of a gateway, each with its type', async () => {
    const shown = await (await fetch(`${gateway?.baseUrl}/metrics`)).text()
    const kinds = [...shown.matchAll(/^# TYPE (\w+ \w+)$/gm)].map(([, text = '']) => text)
    const described = [...tableRows(readDocument('docs/metrics.md'))].flatMap(
      ([name, [kind = '']]) => (metricKinds.has(kind) ? [`${name} ${kind}`] : []),
    )
    expect(kinds.length).toBeGreaterThan(0)
    expect(described.toSorted()).toEqual(kinds.toSorted())
  })
})
