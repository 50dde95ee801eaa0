import { isObject } from '../../wire/json.ts'
import { chooseTools } from './choose-tools.ts'
import type {
  AnswerPart,
  DemoAnswer,
  DemoToolCall,
  DemoTurn,
  OfferedTool,
  Question,
} from './demo-protocol.ts'
import { fitSchema } from './fit-schema.ts'
import { stripAgentBlocks } from './strip-agent-blocks.ts'
import { countTokens, excerptOf, splitTokens } from './tokens.ts'

const introduction = "This is Tollgate's built-in demo model."
const quotedTokensMax = 60

/** Decides the demo model's answer; each protocol only encodes the decision. */
export function planAnswer(question: Question): DemoAnswer {
  const turns = question.tools.length > 0 ? stripAgentBlocks(question.turns) : question.turns
  const prompt = turns.findLast((turn) => turn.role === 'user')?.text ?? ''
  const results = trailingToolResults(turns)
  const tools = results.length > 0 ? [] : chooseTools(question, prompt)
  const content: AnswerPart[] =
    tools.length > 0
      ? tools.map((tool) => callTool(tool, prompt))
      : [{ kind: 'text', text: say(question, prompt, results) }]
  const parts = question.reasoning ? [reason(prompt, tools), ...content] : content
  return limitParts(parts, question.outputTokensMax, countInputTokens(question))
}

/** Counts everything that the demo model reads: the turns and the offered tools. */
export function countInputTokens({ turns, tools }: Question): number {
  const texts = [...turns.map(({ text }) => text), ...tools.map((tool) => JSON.stringify(tool))]
  return texts.reduce((sum, text) => sum + countTokens(text), 0)
}

export function tokensOf(part: AnswerPart): number {
  if (part.kind !== 'tool-call') return countTokens(part.text)
  return countTokens(part.name) + countTokens(part.argumentsText)
}

function trailingToolResults(turns: readonly DemoTurn[]): readonly string[] {
  const lastOther = turns.findLastIndex((turn) => turn.role !== 'tool')
  return turns.slice(lastOther + 1).map((turn) => turn.text)
}

function callTool({ name, schema }: OfferedTool, prompt: string): DemoToolCall {
  const fitted = fitSchema({ type: 'object', ...schema }, pickWord(prompt, name))
  const made = isObject(fitted) ? fitted : {}
  return { kind: 'tool-call', name, arguments: made, argumentsText: JSON.stringify(made) }
}

function say({ structure }: Question, prompt: string, results: readonly string[]): string {
  const text = plainText(prompt, results)
  if (structure === 'text') return text
  if (structure === 'json-object') return JSON.stringify({ answer: text })
  return JSON.stringify(fitSchema(structure.schema, pickWord(results.at(-1) ?? prompt, '')))
}

function plainText(prompt: string, results: readonly string[]): string {
  if (results.length > 0) {
    const quotes = results.map((result) => `"${excerptOf(result, quotedTokensMax)}"`)
    return `${introduction} The tool answered: ${quotes.join(' and ')}`
  }
  if (prompt.trim() === '') return `${introduction} Say something and I will repeat it.`
  return `${introduction} You said: "${excerptOf(prompt, quotedTokensMax)}"`
}

function reason(prompt: string, tools: readonly OfferedTool[]): AnswerPart {
  const names = tools.map(({ name }) => name).join(' and ')
  const next = tools.length > 0 ? `I should call ${names}.` : 'A short answer will do.'
  return { kind: 'reasoning', text: `The user wrote ${countTokens(prompt)} words. ${next}` }
}

/** Picks one word of the prompt as an argument: the last name-like word, else the last longer word. */
function pickWord(prompt: string, toolName: string): string {
  const words = prompt.match(/[\p{L}\p{N}][\p{L}\p{N}'-]*/gu) ?? []
  const others = words.filter((word) => !toolName.toLowerCase().includes(word.toLowerCase()))
  // The first word of a prompt is capitalised without being a name.
  const name = others.slice(1).findLast((word) => /^\p{Lu}\p{Ll}/u.test(word))
  return name ?? others.findLast((word) => word.length > 3) ?? others.at(-1) ?? 'demo'
}

/** Cuts an answer at the client's output limit, and counts the remaining tokens. */
function limitParts(
  parts: readonly AnswerPart[],
  tokensMax: number | undefined,
  input: number,
): DemoAnswer {
  const kept: AnswerPart[] = []
  const usage = { input, output: 0, reasoning: 0 }
  let left = tokensMax ?? Number.POSITIVE_INFINITY
  let isCut = false
  for (const part of parts) {
    const fitting = cutPart(part, left)
    isCut = fitting !== part
    if (fitting) {
      const tokens = tokensOf(fitting)
      left -= tokens
      usage[part.kind === 'reasoning' ? 'reasoning' : 'output'] += tokens
      kept.push(fitting)
    }
    if (isCut) break
  }
  const isCalling = kept.some((part) => part.kind === 'tool-call')
  return { parts: kept, finish: isCut ? 'length' : isCalling ? 'tool-calls' : 'stop', usage }
}

function cutPart(part: AnswerPart, tokensMax: number): AnswerPart | undefined {
  if (tokensOf(part) <= tokensMax) return part
  // Half of a call's JSON is useless, so a call is complete or absent.
  if (part.kind === 'tool-call' || tokensMax === 0) return undefined
  return { ...part, text: splitTokens(part.text).slice(0, tokensMax).join('') }
}
