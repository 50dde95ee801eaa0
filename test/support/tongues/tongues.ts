import type { ProtocolName } from '../../../src/core/protocol-name.ts'
import { chatCompletions } from './chat-completions.ts'
import { generateContent } from './generate-content.ts'
import { messages } from './messages.ts'
import { responses } from './responses.ts'
import type { Tongue } from './tongue.ts'

export const tongues: Readonly<Record<ProtocolName, Tongue>> = {
  'chat-completions': chatCompletions,
  responses,
  messages,
  'generate-content': generateContent,
}

export const allTongues: readonly Tongue[] = Object.values(tongues)

/** The protocols of a client and an upstream, with a name for test titles. */
export interface Pair {
  readonly pair: string
  readonly from: Tongue
  readonly to: Tongue
}

export const allPairs: readonly Pair[] = allTongues.flatMap((from) =>
  allTongues.map((to) => ({ pair: `${from.name} over ${to.name}`, from, to })),
)

/** The pairs that need translation. */
export const crossPairs = allPairs.filter(({ from, to }) => from !== to)
