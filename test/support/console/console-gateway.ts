import type { GatewayPorts } from '../../../src/console-api/ports/gateway-ports.ts'
import { clientPathsOf } from '../../../src/gateway/client-paths.ts'

/** A gateway without functions, for tests of the console's own parts. */
export const quietGateway: GatewayPorts = {
  vendors: [
    {
      name: 'openai-compatible',
      baseUrl: undefined,
      protocols: ['chat-completions', 'responses', 'messages', 'generate-content'],
    },
    { name: 'openai', baseUrl: 'https://api.openai.com/v1', protocols: ['chat-completions'] },
  ],
  clientPathsOf,
  hasDemo: false,
  forward: async () => Response.json({ forwarded: true }),
  catchUp: async () => {},
  operatorToken: 'the word of an operator',
  healthOf: () => undefined,
  tryUpstream: async () => [],
  upstreamModels: async () => ({ models: ['gpt-x', 'gpt-y'], problem: undefined }),
  factsOfModel: () => ({
    nativeProtocols: ['chat-completions'],
    capabilities: ['streaming', 'tools'],
  }),
  countLeftovers: () => ({ refusedRecords: 0, damagedLines: 0 }),
  replayRefused: async () => ({ applied: 0, refused: 0, damaged: 0 }),
  state: {
    exportText: async () => '{}',
    apply: async () => ({ counts: {}, changes: [], warnings: [] }),
  },
  mail: undefined,
  postWebhook: async () => undefined,
  readProcess: () => ({
    replica: 'r1',
    version: '0.0.0',
    runtime: 'test',
    startedAtMs: 0,
    memoryBytes: 1,
    unshipped: 0,
    unshippedSinceMs: undefined,
    openHolds: 0,
    oldestHoldAtMs: undefined,
    admitsWithoutEntry: 0,
    refusedRecords: 0,
    damagedLines: 0,
    notAdmitting: undefined,
    trustedProxies: [],
    settings: [{ name: 'brand', text: 'gateway', from: 'default' }],
  }),
}
