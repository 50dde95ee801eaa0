import type { ReplyReading } from '../../protocols/protocol.ts'
import type { Candidate } from '../../routing/route-set.ts'
import { mayReason } from '../forward/route-traits.ts'
import { limits } from '../limits.ts'

/** Silence up to this long is normal latency: network, queue and prompt processing. */
const usualMs = 2_000
/** Shorter silences say little about the speed of reasoning. */
const measuredFromMs = 4_000
const tokensPerSecondMax = 500

/** Estimates the reasoning that a model generated but did not show, from the time before its first content. */
export function estimateHidden({ route, state }: Candidate, silentMs: number): number {
  if (silentMs <= usualMs || !mayReason(route)) return 0
  const perSecond = state.target.hiddenPerSecond ?? limits.hiddenTokensPerSecond
  return Math.ceil(((silentMs - usualMs) / 1_000) * perSecond)
}

/** A complete answer shows how fast its model reasons. */
export function measureHidden({ state }: Candidate, silentMs: number, reading: ReplyReading): void {
  const { usage } = reading
  if (silentMs < measuredFromMs || !usage) return
  const hidden = Math.max(0, usage.reasoning - (reading.reasoningTokens?.() ?? 0))
  const perSecond = hidden / ((silentMs - usualMs) / 1_000)
  state.target.noteHidden(Math.min(perSecond, tokensPerSecondMax))
}
