import type { DemoTurn } from './question.ts'

const openingTag = /<([a-z][\w-]{0,40})>/giu
const blocksMax = 64

/**
 * What was said, without what a coding agent puts between tags around the words of its user: reminders
 * and notices name the agent's own tools, and whoever obeyed them would call those without being asked, over and over.
 */
export function spokenTurns(turns: readonly DemoTurn[]): readonly DemoTurn[] {
  const spoken: DemoTurn[] = []
  for (const turn of turns) {
    if (turn.role === 'system') continue
    const text = turn.role === 'user' ? typedText(turn.text) : turn.text
    const before = spoken.at(-1)
    // After an answer it is a notice and a turn; after anything else it belongs to that.
    const isAddition = turn.role === 'user' && text === '' && before !== undefined
    if (isAddition && before.role !== 'assistant') continue
    spoken.push({ role: turn.role, text })
  }
  return spoken
}

function typedText(text: string): string {
  let typed = ''
  let from = 0
  let blocks = 0
  for (const { 0: opening, 1: name = '', index } of text.matchAll(openingTag)) {
    if (index < from) continue
    // Each search reads to the end of the text when the tag is not closed.
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
