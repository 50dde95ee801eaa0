import type { FeatureName } from '../core/feature.ts'
import { type ProtocolName, protocolNames } from '../core/protocol-name.ts'

/** Protocols of one vendor, which say most things in the same way. */
const kin: readonly ProtocolName[] = ['chat-completions', 'responses']
/** What has an equivalent in every protocol that can say it at all; a translation leaves out the rest, or refuses it. */
const carried: Readonly<Partial<Record<FeatureName, readonly ProtocolName[]>>> = {
  webSearch: protocolNames,
  audioInput: ['chat-completions', 'generate-content'],
}

/** Whether an upstream that is spoken to in this protocol would be asked for the feature at all. */
export function isCarried(
  feature: FeatureName,
  client: ProtocolName,
  upstream: ProtocolName,
): boolean {
  if (client === upstream) return true
  if (kin.includes(client) && kin.includes(upstream)) return true
  return carried[feature]?.includes(upstream) ?? false
}
