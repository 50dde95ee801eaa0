import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ProtocolName, protocolNames } from '../../src/core/neutral/protocol-name.ts'

/** The content of a case in each pair of protocols. The inputs are written once for each protocol. */
const caseNames = ['text', 'tools', 'custom', 'structured', 'image', 'reasoning', 'error'] as const
export type CaseName = (typeof caseNames)[number]

export interface Pair {
  readonly client: ProtocolName
  readonly upstream: ProtocolName
}

export const crossPairs: readonly Pair[] = protocolNames.flatMap((client) =>
  protocolNames.filter((upstream) => upstream !== client).map((upstream) => ({ client, upstream })),
)

/** Two of the client protocols have custom tools and namespaces. */
export function casesOf({ client }: Pair): readonly CaseName[] {
  const knowsCustom = client === 'chat-completions' || client === 'responses'
  return caseNames.filter((name) => name !== 'custom' || knowsCustom)
}

/** `request.json` is in the client's protocol, `reply.json` and `stream.sse` are in the upstream's. */
export function readInput(protocol: ProtocolName, file: string): string {
  return readFileSync(join(import.meta.dir, 'inputs', protocol, file), 'utf8')
}

export function goldenPath({ client, upstream }: Pair, name: CaseName): string {
  return join(import.meta.dir, 'pairs', `${client}--${upstream}`, `${name}.txt`)
}
