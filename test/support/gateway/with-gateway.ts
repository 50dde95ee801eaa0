import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import { auditLedger } from '../../../src/ledger/audit-ledger.ts'
import { eventually } from '../eventually.ts'
import { expectNoSecret } from './ask.ts'
import { type GatewayOptions, startGateway, type TestGateway } from './start-gateway.ts'

/**
 * One gateway for a file's tests. After each of them every nano is explained, no request is left hanging,
 * nothing was logged that must not be, and the upstreams forget their script.
 */
export function withGateway(options: GatewayOptions = {}): () => TestGateway {
  let gateway: TestGateway | undefined
  beforeAll(async () => {
    gateway = await startGateway(options)
  })
  afterEach(async () => {
    if (gateway) await expectOrder(gateway)
  })
  afterAll(async () => {
    await gateway?.stop()
  })
  return () => {
    if (!gateway) throw new Error('the gateway has not been started')
    return gateway
  }
}

export async function expectOrder(gateway: TestGateway): Promise<void> {
  const { node, money, logLines, keys, one, two, clock } = gateway
  clock.freezeAt(undefined)
  await eventually('all holds are settled', () => node.ledger.openHolds === 0)
  await eventually('all requests are answered', () => gateway.pending() === 0)
  await node.ledger.shipped()
  expect(await money.imbalances()).toEqual([])
  for (const { findings } of await auditLedger(gateway.engine, 0)) expect(findings).toEqual([])
  expect(await money.overdrawn()).toEqual([])
  const lines = logLines.join('')
  expectNoSecret(lines, keys)
  expect(lines).not.toContain('"internal_error"')
  expect(lines).not.toContain('settlement failed')
  one.reset()
  two.reset()
  // What one test has taught the gateway about its upstreams is no matter of the next.
  node.routing.forget()
}
