import type { ChatTurn, ReplyDelta, ToolCall } from './turn.ts'

export interface ModelReply {
  readonly turn: Extract<ChatTurn, { kind: 'model' }>
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly problem: string | undefined
  /** Positions of the calls, as numbered by the protocol. */
  readonly callPlaces: readonly number[]
}

export const emptyReply: ModelReply = {
  turn: { kind: 'model', text: '', reasoning: '', calls: [] },
  inputTokens: undefined,
  outputTokens: undefined,
  problem: undefined,
  callPlaces: [],
}

/** Adds the content of an event to the reply. */
export function foldReply(reply: ModelReply, part: ReplyDelta): ModelReply {
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

function foldCall(reply: ModelReply, part: NonNullable<ReplyDelta['call']>): ModelReply {
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
