import type { ReplyPart, ToolCall, Turn } from './turn.ts'

export interface Reply {
  readonly turn: Extract<Turn, { kind: 'model' }>
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly problem: string | undefined
  /** Calls by the place that the protocol gives them. */
  readonly callPlaces: readonly number[]
}

export const emptyReply: Reply = {
  turn: { kind: 'model', text: '', reasoning: '', calls: [] },
  inputTokens: undefined,
  outputTokens: undefined,
  problem: undefined,
  callPlaces: [],
}

/** Adds what an event brought to what was there. */
export function foldReply(reply: Reply, part: ReplyPart): Reply {
  const { turn } = reply
  const withCall = part.call ? foldCall(reply, part.call) : reply
  return {
    ...withCall,
    turn: {
      ...withCall.turn,
      text: turn.text + (part.text ?? ''),
      reasoning: turn.reasoning + (part.reasoning ?? ''),
    },
    inputTokens: part.usage?.input ?? reply.inputTokens,
    outputTokens: part.usage?.output ?? reply.outputTokens,
    problem: part.problem ?? reply.problem,
  }
}

function foldCall(reply: Reply, part: NonNullable<ReplyPart['call']>): Reply {
  const { turn, callPlaces } = reply
  const at = callPlaces.indexOf(part.index)
  if (at === -1) {
    const call: ToolCall = { id: part.id ?? '', name: part.name ?? '', argumentText: part.more }
    return {
      ...reply,
      turn: { ...turn, calls: [...turn.calls, call] },
      callPlaces: [...callPlaces, part.index],
    }
  }
  const calls = turn.calls.map((call, index) =>
    index === at
      ? {
          id: part.id === undefined || part.id === '' ? call.id : part.id,
          name: part.name === undefined || part.name === '' ? call.name : part.name,
          argumentText: part.isWhole === true ? part.more : call.argumentText + part.more,
        }
      : call,
  )
  return { ...reply, turn: { ...turn, calls } }
}
