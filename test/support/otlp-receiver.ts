import { z } from 'zod'
import { parseJson } from '../../src/wire/json.ts'

/* An OpenTelemetry collector that accepts OTLP over HTTP as JSON, and refuses everything else. */

const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
])
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }))
const time = z.string().regex(/^[1-9]\d{18}$/)
const traceId = z.string().regex(/^[0-9a-f]{32}$/)
const spanId = z.string().regex(/^[0-9a-f]{16}$/)
const count = z.string().regex(/^\d+$/)
const resource = z.strictObject({ attributes })
const scope = z.strictObject({ name: z.literal('tollgate'), version: z.string() })

const span = z.strictObject({
  traceId,
  spanId,
  parentSpanId: spanId.optional(),
  traceState: z.string().optional(),
  name: z.string().min(1),
  kind: z.union([z.literal(2), z.literal(3)]),
  startTimeUnixNano: time,
  endTimeUnixNano: time,
  attributes,
  status: z.strictObject({ code: z.literal(2).optional() }),
})
const logRecord = z.strictObject({
  timeUnixNano: time,
  severityNumber: z.number().int().min(1).max(24),
  severityText: z.string(),
  eventName: z.string(),
  body: value,
  attributes,
  traceId: traceId.optional(),
  spanId: spanId.optional(),
})
const point = { startTimeUnixNano: time, timeUnixNano: time, attributes }
const numbers = z.array(z.strictObject({ ...point, asDouble: z.number() }))
const histogramPoint = z
  .strictObject({
    ...point,
    count,
    sum: z.number(),
    explicitBounds: z.array(z.number()),
    bucketCounts: z.array(count),
  })
  .refine(({ explicitBounds, bucketCounts }) => bucketCounts.length === explicitBounds.length + 1)
  .refine(
    (each) => each.bucketCounts.reduce((sum, one) => sum + Number(one), 0) === Number(each.count),
  )
const about = { name: z.string(), description: z.string(), unit: z.string().optional() }
const cumulative = z.literal(2)
const metric = z.union([
  z.strictObject({ ...about, gauge: z.strictObject({ dataPoints: numbers }) }),
  z.strictObject({
    ...about,
    sum: z.strictObject({
      dataPoints: numbers,
      aggregationTemporality: cumulative,
      isMonotonic: z.literal(true),
    }),
  }),
  z.strictObject({
    ...about,
    histogram: z.strictObject({
      dataPoints: z.array(histogramPoint),
      aggregationTemporality: cumulative,
    }),
  }),
])
const traces = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource,
      scopeSpans: z.array(z.strictObject({ scope, spans: z.array(span) })),
    }),
  ),
})
const logs = z.strictObject({
  resourceLogs: z.array(
    z.strictObject({
      resource,
      scopeLogs: z.array(z.strictObject({ scope, logRecords: z.array(logRecord) })),
    }),
  ),
})
const metrics = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({
      resource,
      scopeMetrics: z.array(z.strictObject({ scope, metrics: z.array(metric) })),
    }),
  ),
})

export type ReceivedSpan = z.infer<typeof span>
type Attributes = z.infer<typeof attributes>

export interface OtlpReceiver {
  readonly url: string
  readonly spans: ReceivedSpan[]
  readonly logs: z.infer<typeof logRecord>[]
  readonly metrics: z.infer<typeof metric>[]
  /** Everything that was sent, headers included, to search for secrets. */
  readonly texts: string[]
  readonly problems: string[]
  /** The answers from now on. */
  mode: 'take' | 'busy' | 'refuse' | 'hang' | 'redirect'
  stop(): Promise<void>
}

export function startOtlpReceiver(): OtlpReceiver {
  const received = { spans: [], logs: [], metrics: [], texts: [], problems: [] }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const text = await request.text()
      receiver.texts.push(`${JSON.stringify(Object.fromEntries(request.headers))}\n${text}`)
      if (receiver.mode === 'busy')
        return new Response('busy', { status: 503, headers: { 'retry-after': '0' } })
      if (receiver.mode === 'refuse') return new Response('no', { status: 400 })
      if (receiver.mode === 'redirect')
        return new Response(null, { status: 307, headers: { location: '/elsewhere' } })
      if (receiver.mode === 'hang') return Promise.withResolvers<Response>().promise
      try {
        take(receiver, pathname, parseJson(text))
      } catch (error) {
        receiver.problems.push(String(error))
      }
      return Response.json({})
    },
  })
  const receiver: OtlpReceiver = {
    ...received,
    url: `http://127.0.0.1:${server.port}`,
    mode: 'take',
    stop: () => server.stop(true),
  }
  return receiver
}

function take(receiver: OtlpReceiver, path: string, body: unknown): void {
  if (path === '/v1/traces') {
    for (const { scopeSpans } of traces.parse(body).resourceSpans)
      receiver.spans.push(...scopeSpans.flatMap(({ spans }) => spans))
  } else if (path === '/v1/logs') {
    for (const { scopeLogs } of logs.parse(body).resourceLogs)
      receiver.logs.push(...scopeLogs.flatMap(({ logRecords }) => logRecords))
  } else if (path === '/v1/metrics') {
    const all = metrics.parse(body).resourceMetrics
    const read = all.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((each) => each.metrics))
    receiver.metrics.splice(0, receiver.metrics.length, ...read)
  } else throw new Error(`nothing is accepted at ${path}`)
}

/** Attributes as an object of plain values. */
export function plainAttributes(list: Attributes): Record<string, unknown> {
  return Object.fromEntries(
    list.map(({ key, value: one }) => [
      key,
      'intValue' in one ? Number(one.intValue) : Object.values(one)[0],
    ]),
  )
}
