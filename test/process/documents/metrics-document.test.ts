import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { patience } from '../../support/patience.ts'
import { readDocument, tableRows } from '../../unit/docs/table-rows.ts'
import { dashboardExpressions, ruleExpressions, unknownNames } from './monitoring-expressions.ts'
import { type StartedGateway, startGateway } from './started-gateway.ts'

const startMs = patience(60_000)
/** Other tables of the page describe settings. */
const metricKinds = new Set(['counter', 'gauge', 'histogram'])

const documented = [...tableRows(readDocument('docs/metrics.md'))]
  .filter(([, [kind = '']]) => metricKinds.has(kind))
  .map(([name, [kind = '', labels = '']]) => {
    return { name, kind, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) }
  })
const labelsOf = new Map(documented.map(({ name, labels }) => [name, labels]))

describe('docs/metrics.md', () => {
  let gateway: StartedGateway | undefined
  let shown = ''
  beforeAll(async () => {
    gateway = await startGateway()
    const { baseUrl, key } = gateway
    const ask = (model: string) =>
      fetch(`${baseUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
      })
    const models = await fetch(`${baseUrl}/v1/models`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const [first] = ((await models.json()) as { data: { id: string }[] }).data
    expect((await ask(first?.id ?? '')).status).toBe(200)
    expect((await ask('no-such-model')).status).toBe(404)
    shown = await (await fetch(`${baseUrl}/metrics`)).text()
  }, startMs)
  afterAll(() => gateway?.stop(), startMs)

  test('describes exactly the metrics of a gateway, each with its type', () => {
    const kinds = [...shown.matchAll(/^# TYPE (\w+ \w+)$/gm)].map(([, text = '']) => text)
    expect(kinds.length).toBeGreaterThan(0)
    const described = documented.map(({ name, kind }) => `${name} ${kind}`)
    expect(described.toSorted()).toEqual(kinds.toSorted())
  })

  test('describes the labels of each series', () => {
    const series = [...shown.matchAll(/^(\w+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})? \S+$/gm)]
    const labelled = series.filter(([, , labels]) => labels !== undefined)
    expect(labelled.length).toBeGreaterThan(20)
    for (const [line, name = '', labels = ''] of series) {
      const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label)
      expect([line, names.filter((label) => label !== 'le')]).toEqual([
        line,
        [...(labelsOf.get(name) ?? ['not described'])],
      ])
    }
  })

  test('the dashboard and the alert rules name only metrics and labels that exist', () => {
    const expressions = [...dashboardExpressions(), ...ruleExpressions()]
    expect(expressions.length).toBeGreaterThan(40)
    expect(expressions.flatMap((each) => unknownNames(each, labelsOf))).toEqual([])
  })

  test('the check above finds a wrong name', () => {
    const wrong = 'sum by (nobody) (rate(tollgate_requests_total{modle="a"}[5m])) / tollgate_none'
    expect(unknownNames(wrong, labelsOf)).toEqual([
      'tollgate_requests_total{modle}',
      'tollgate_none',
      'nobody',
    ])
  })

  test('Prometheus can read the metrics, if its tool is installed', async () => {
    const promtool = Bun.which('promtool')
    if (promtool === null) return
    const tool = Bun.spawn([promtool, 'check', 'metrics'], {
      stdin: new TextEncoder().encode(shown),
      stderr: 'pipe',
    })
    const found = await new Response(tool.stderr).text()
    // The type of this metric is older than the check, and a new type would break queries.
    const known = 'tollgate_build_info counter metrics should have "_total" suffix'
    expect(found.split('\n').filter((line) => line !== '' && line !== known)).toEqual([])
  })
})
