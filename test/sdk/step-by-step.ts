import type { Answer, Script } from './scripts/answer.ts'

/** Sends each piece of text only when the client has the previous one, and the end when it has all. */
export interface StepByStep {
  readonly gates: readonly (Promise<void> | undefined)[]
  /** The pieces that the client has received. */
  readonly heard: readonly string[]
  onText(text: string): void
}

/** If the gateway buffers text, the upstream never continues, so the test times out. */
export function stepByStep(script: Script, answer: Answer): StepByStep {
  const pieces = answer.pieces ?? []
  const frames = script.frames(answer)
  const places = pieces.map((piece) =>
    frames.findIndex((frame) => frame.includes(JSON.stringify(piece))),
  )
  const opened = pieces.map(() => Promise.withResolvers<void>())
  const gates: (Promise<void> | undefined)[] = frames.map(() => undefined)
  for (const [index, place] of places.entries()) gates[place + 1] = opened[index]?.promise
  const heard: string[] = []
  return {
    gates,
    heard,
    onText: (text) => {
      if (text === '') return
      heard.push(text)
      const length = heard.join('').length
      let reached = 0
      for (const [index, piece] of pieces.entries()) {
        reached += piece.length
        if (reached <= length) opened[index]?.resolve()
      }
    },
  }
}
