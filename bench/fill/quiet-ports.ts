import type { GatewayPorts } from '../../src/console-api/ports/gateway-ports.ts'
import { clientPathsOf } from '../../src/gateway/client-paths.ts'

/** A gateway without requests: only the database is measured. */
export const quietPorts: GatewayPorts = {
  vendors: [],
  clientPathsOf,
  hasDemo: false,
  catchUp: async () => {},
  operatorToken: '',
  forward: async () => new Response(),
  healthOf: () => undefined,
  tryUpstream: async () => [],
  upstreamModels: async () => undefined,
  factsOfModel: () => ({ nativeProtocols: [], capabilities: [] }),
  countLeftovers: () => ({ refusedRecords: 0, damagedLines: 0 }),
  replayRefused: async () => ({ applied: 0, refused: 0, damaged: 0 }),
  state: {
    exportText: async () => '{}',
    apply: async () => ({ counts: {}, changes: [], warnings: [] }),
  },
  mail: undefined,
  postWebhook: async () => undefined,
  readProcess: () => ({
    replica: 'fill',
    version: '',
    runtime: '',
    startedAtMs: 0,
    memoryBytes: 0,
    unshipped: 0,
    unshippedSinceMs: undefined,
    openHolds: 0,
    oldestHoldAtMs: undefined,
    admitsWithoutEntry: 0,
    refusedRecords: 0,
    damagedLines: 0,
    notAdmitting: undefined,
    trustedProxies: [],
    settings: [],
  }),
}
