import type { DemoTurn } from './demo-protocol.ts'

const openingTag = /<([a-z][\w-]{0,40})>/giu
const blocksMax = 64

/**
 * The conversation without the tagged blocks that a coding agent adds to its user's text. Reminders and notices name
 * the agent's own tools, and a demo model that followed them would call these tools unasked, over and over.
 */
export function stripAgentBlocks(turns: readonly DemoTurn[]): readonly DemoTurn[] {
  const kept: DemoTurn[] = []
  for (const turn of turns) {
    if (turn.role === 'system') continue
    const text = turn.role === 'user' ? typedText(turn.text) : turn.text
    const before = kept.at(-1)
    // A message of only tagged blocks counts as a turn after an answer; after any other turn, it belongs to that turn.
    const isAddition = turn.role === 'user' && text === '' && before !== undefined
    if (isAddition && before.role !== 'assistant') continue
    kept.push({ role: turn.role, text })
  }
  return kept
}

function typedText(text: string): string {
  let typed = ''
  let from = 0
  let blocks = 0
  for (const { 0: opening, 1: name = '', index } of text.matchAll(openingTag)) {
    if (index < from) continue
    // Each search for a missing closing tag scans the rest of the text, so the number of searches is limited.
    blocks += 1
    if (blocks > blocksMax) break
    const closing = `</${name}>`
    const end = text.indexOf(closing, index + opening.length)
    if (end === -1) continue
    typed += text.slice(from, index)
    from = end + closing.length
  }
  return (typed + text.slice(from)).trim()
}
