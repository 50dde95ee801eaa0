import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { chatCompletions } from './chat-completions.ts'
import { generateContent } from './generate-content.ts'
import { messages } from './messages.ts'
import { responses } from './responses.ts'
import type { TestProtocol } from './test-protocol.ts'

export const testProtocols: Readonly<Record<ProtocolName, TestProtocol>> = {
  'chat-completions': chatCompletions,
  responses,
  messages,
  'generate-content': generateContent,
}

export const allProtocols: readonly TestProtocol[] = Object.values(testProtocols)

/** The protocols of a client and an upstream, with a name for test titles. */
export interface Pair {
  readonly pair: string
  readonly from: TestProtocol
  readonly to: TestProtocol
}

export const allPairs: readonly Pair[] = allProtocols.flatMap((from) =>
  allProtocols.map((to) => ({ pair: `${from.name} over ${to.name}`, from, to })),
)

/** Each protocol once at either end of a translation, and once unchanged: for what reading and writing do separately. */
export const sidePairs = allPairs.filter(({ from, to }) => {
  const apart = allProtocols.indexOf(to) - allProtocols.indexOf(from)
  return apart === 0 || (apart + allProtocols.length) % allProtocols.length === 1
})

/** The pairs that need translation. */
export const crossPairs = allPairs.filter(({ from, to }) => from !== to)
