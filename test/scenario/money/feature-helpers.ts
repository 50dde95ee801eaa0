import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import type { GatewayOptions, TestGateway } from '../../support/gateway/start-gateway.ts'
import { type KeyName, viaModel } from '../../support/gateway/test-provision.ts'
import { testProtocols } from '../../support/protocols/test-protocols.ts'

/** Feature prices that differ from each other; a model has its list prices, overridden by these. */
const features = { webSearch: 10_000_000n, priorityTier: 2_000_000n, audioInput: null }
export const featureOptions: GatewayOptions = {
  extend: (provision) => ({
    ...provision,
    groups: provision.groups.map((group) =>
      group.id === 'strict'
        ? { ...group, isStrict: false, unpricedFeatures: 'token_price', sharedObjects: 'allow' }
        : group,
    ),
    models: provision.models.map((model) => ({
      ...model,
      price: model.price && { ...model.price, features },
    })),
  }),
}

/** The same, with enough money for everything. */
export const richOptions: GatewayOptions = {
  extend: (provision) => {
    const extended = featureOptions.extend?.(provision) ?? provision
    const rich = { creditNano: 1_000_000_000_000_000n }
    return {
      ...extended,
      accounts: extended.accounts.map((each) => (each.id === 'acme' ? { ...each, ...rich } : each)),
    }
  },
}

export interface Asked {
  readonly from: ProtocolName
  readonly to: ProtocolName
  readonly extra: JsonObject
  readonly isStream?: boolean
  readonly key?: KeyName
  readonly headers?: Readonly<Record<string, string>>
}

export function ask(
  gateway: TestGateway,
  { from, to, extra, isStream = false, key = 'any', headers = {} }: Asked,
) {
  const { client } = testProtocols[from]
  const body = { ...client.body(viaModel(to), isStream), ...extra }
  return gateway.ask({ key, path: client.path(viaModel(to), isStream), body, headers })
}

/** 100 tokens at 2.5 and 20 at 10 US$ for a million. */
export const tokensNano = 450_000n

export const usage = { input_tokens: 100, output_tokens: 20 }

/** An item of the responses protocol. */
export const text = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
}

export const response = (extra: JsonObject) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'x',
  usage,
  ...extra,
})
