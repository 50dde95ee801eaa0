import { afterAll, expect, test } from 'bun:test'
import { startOtlpReceiver } from '../support/otlp-receiver.ts'
import { patience } from '../support/patience.ts'
import { startGateway } from './started-gateway.ts'

const receiver = startOtlpReceiver()
afterAll(() => receiver.stop())

test(
  'a gateway that stops sends what is left: spans, log events and the last metrics',
  async () => {
    const gateway = await startGateway({
      TOLLGATE_OTLP_ENDPOINT: receiver.url,
      TOLLGATE_OTLP_HEADERS: 'authorization=Bearer a-token-of-the-collector',
      TOLLGATE_TRACE_SAMPLE_RATE: '1',
      TOLLGATE_METRICS_OWNERS: 'keys',
    })
    const headers = { authorization: `Bearer ${gateway.key}` }
    expect((await fetch(`${gateway.baseUrl}/v1/models`, { headers })).status).toBe(200)
    expect(await gateway.stop()).toBe(0)
    expect(receiver.problems).toEqual([])
    expect(receiver.spans.map(({ name }) => name)).toEqual(['GET'])
    expect(receiver.logs.map(({ eventName }) => eventName)).toContain('stopped')
    const counted = receiver.metrics.find(({ name }) => name === 'tollgate_owner_requests_total')
    expect(JSON.stringify(counted)).toContain('"asDouble":1')
    expect(receiver.texts[0]).toContain('"authorization":"Bearer a-token-of-the-collector"')
    expect(receiver.texts.join('')).not.toContain(gateway.key)
  },
  patience(60_000),
)
