import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import { auditLedger } from '../../../src/ledger/audit/audit-ledger.ts'
import { eventually } from '../eventually.ts'
import { expectNoSecret } from './ask.ts'
import { type GatewayOptions, startGateway, type TestGateway } from './start-gateway.ts'

/**
 * One gateway for a file's tests. After each of them every charge is accounted for, no request is left hanging,
 * nothing was logged that must not be, and the upstreams forget their script. After the last one each entry of the
 * ledger is looked at: that takes longer with every test, and finds in the end what it would have found before.
 */
export function withGateway(options: GatewayOptions = {}): () => TestGateway {
  let gateway: TestGateway | undefined
  beforeAll(async () => {
    gateway = await startGateway(options)
  })
  afterEach(async () => {
    if (gateway) await expectRest(gateway)
  })
  afterAll(async () => {
    if (gateway) await expectAudited(gateway)
    await gateway?.stop()
  })
  return () => {
    if (!gateway) throw new Error('the gateway has not been started')
    return gateway
  }
}

export async function expectOrder(gateway: TestGateway): Promise<void> {
  await expectRest(gateway)
  await expectAudited(gateway)
}

/** How many lines of each gateway's log have been looked at. */
const linesSeen = new WeakMap<TestGateway, number>()

/** All but the audit of each entry, which takes longer the more there are. */
export async function expectRest(gateway: TestGateway): Promise<void> {
  const { node, money, logLines, keys, one, two, clock } = gateway
  clock.freezeAt(undefined)
  await eventually('all holds are settled', () => node.ledger.openHolds === 0)
  await eventually('all requests are answered', () => gateway.pending() === 0)
  await node.ledger.shipped()
  expect(await money.imbalances()).toEqual([])
  expect(await money.overdrawn()).toEqual([])
  const lines = logLines.slice(linesSeen.get(gateway) ?? 0).join('')
  linesSeen.set(gateway, logLines.length)
  expectNoSecret(lines, keys)
  expect(lines).not.toContain('"internal_error"')
  expect(lines).not.toContain('settlement failed')
  one.reset()
  two.reset()
  // What one test has taught the gateway about its upstreams is no matter of the next.
  node.routing.forget()
}

export async function expectAudited({ engine }: TestGateway): Promise<void> {
  for (const { findings } of await auditLedger(engine, 0)) expect(findings).toEqual([])
}
