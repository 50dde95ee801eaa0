import { describe, expect, test } from 'bun:test'
import type { DemoTurn } from '../../../src/demo/upstream/demo-protocol.ts'
import { planAnswer } from '../../../src/demo/upstream/plan-answer.ts'
import { stripAgentBlocks } from '../../../src/demo/upstream/strip-agent-blocks.ts'

const user = (text: string): DemoTurn => ({ role: 'user', text })
const assistant = (text: string): DemoTurn => ({ role: 'assistant', text })
const result = (text: string): DemoTurn => ({ role: 'tool', text })
const system = (text: string): DemoTurn => ({ role: 'system', text })
const reminder = '<system-reminder>\nThe Agent and Bash tools are yours.\n</system-reminder>'

interface SpokenCase {
  readonly name: string
  readonly turns: readonly DemoTurn[]
  /** The answer after its introduction; absent when the model calls a tool. */
  readonly says?: string
  readonly calls?: readonly string[]
}

// The texts that coding agents add to the user's words; each form was observed.
const cases: readonly SpokenCase[] = [
  {
    name: 'a reminder before the prompt is ignored',
    turns: [user(`${reminder} Say hi`)],
    says: 'You said: "Say hi"',
  },
  {
    name: 'a reminder in its own turn after the prompt is ignored',
    turns: [user('Say hi'), user(reminder), user(reminder)],
    says: 'You said: "Say hi"',
  },
  {
    name: 'reminders of several kinds are ignored',
    turns: [user(`<env>bash <b>1</b></env> Say <now>agent</now> hi\n\n<env_2>bash</env_2>`)],
    says: 'You said: "Say  hi"',
  },
  {
    name: 'the prompt after a reminder still counts',
    turns: [user(`${reminder} use bash`)],
    calls: ['Bash'],
  },
  {
    name: 'a result is quoted although a reminder follows it',
    turns: [user('use bash'), assistant(''), result('done'), user(reminder), system('# bash')],
    says: 'The tool answered: "done"',
  },
  {
    name: 'a notice after the answer does not call the tool again',
    turns: [user('use bash'), assistant(''), result('done'), assistant('It is.'), user(reminder)],
    says: 'Say something and I will repeat it.',
  },
  {
    name: 'a tag that is never closed counts as typed text',
    turns: [user('is a <b> c true, and </d>?')],
    says: 'You said: "is a <b> c true, and </d>?"',
  },
]

describe('the demo model answers the typed text, not what a coding agent adds to it', () => {
  test.each(cases)('$name', ({ turns, says, calls }) => {
    const { parts } = planAnswer({
      model: 'm',
      turns,
      tools: ['Agent', 'Bash'].map((name) => ({ name, description: '', schema: {} })),
      toolChoice: { mode: 'auto' },
      parallelToolCalls: true,
      structure: 'text',
      reasoning: false,
      outputTokensMax: undefined,
      stream: false,
    })
    const said = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []))
    const called = parts.flatMap((part) => (part.kind === 'tool-call' ? [part.name] : []))
    expect(called).toEqual([...(calls ?? [])])
    expect(said).toEqual(
      says === undefined ? [] : [`This is Tollgate's built-in demo model. ${says}`],
    )
  })

  test('text of only unclosed tags is read in one pass', () => {
    const text = Array.from({ length: 200_000 }, (_, index) => `<t${index}>`).join('')
    expect(stripAgentBlocks([user(text)])).toEqual([user(text)])
  })
})
