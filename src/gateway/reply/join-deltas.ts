import type { ReplyEvent } from '../../core/neutral/reply-event.ts'

type Delta = Extract<ReplyEvent, { readonly type: 'part-delta' }>

/** Joins consecutive pieces of one text: each event costs time in every later step. */
export function joinDeltas(events: readonly ReplyEvent[]): ReplyEvent[] {
  const joined: ReplyEvent[] = []
  let open: Delta | undefined
  let texts: string[] = []
  const close = () => {
    if (open) joined.push(texts.length === 1 ? open : { ...open, text: texts.join('') })
    open = undefined
    texts = []
  }
  for (const event of events) {
    const isPlain = event.type === 'part-delta' && event.logprobs === undefined
    if (!isPlain || open?.answer !== event.answer) close()
    if (!isPlain) {
      joined.push(event)
      continue
    }
    open ??= event
    texts.push(event.text)
  }
  close()
  return joined
}
