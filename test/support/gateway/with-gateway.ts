import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import { auditLedger } from '../../../src/ledger/audit/audit-ledger.ts'
import { eventually } from '../eventually.ts'
import { expectNoSecret } from './ask.ts'
import { type GatewayOptions, startGateway, type TestGateway } from './start-gateway.ts'

/**
 * One gateway for the tests of a file. After each test, every charge is accounted for, no request is pending, the log
 * contains nothing forbidden, and the upstreams' scripts are reset. The audit of every ledger entry runs once after the
 * last test: it takes longer with every test, and finds at the end what it would have found before.
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

/** The number of log lines of each gateway that are already checked. */
const linesSeen = new WeakMap<TestGateway, number>()

/** All checks except the audit of each entry, which takes longer with every entry. */
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
  // Clears what the gateway learned about its upstreams, so that tests do not affect each other.
  node.routing.forget()
}

export async function expectAudited({ engine }: TestGateway): Promise<void> {
  for (const { findings } of await auditLedger(engine, 0)) expect(findings).toEqual([])
}
