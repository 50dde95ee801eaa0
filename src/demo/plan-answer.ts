import { isObject } from '../wire/json.ts'
import type { AnswerPart, DemoAnswer, DemoTextPart, DemoToolCallPart } from './answer.ts'
import { chooseTools } from './choose-tools.ts'
import { countInputTokens } from './count-input-tokens.ts'
import { fitSchema } from './fit-schema.ts'
import { limitParts } from './limit-parts.ts'
import { pickWord } from './pick-word.ts'
import type { DemoTurn, OfferedTool, Question } from './question.ts'
import { spokenTurns } from './spoken-turns.ts'
import { countTokens, excerptOf } from './tokens.ts'

const introduction = "This is Tollgate's built-in demo model."
const quotedTokensMax = 60

/** Decides the demo model's answer; each protocol only encodes the decision. */
export function planAnswer(question: Question): DemoAnswer {
  const turns = question.tools.length > 0 ? spokenTurns(question.turns) : question.turns
  const prompt = lastUserText(turns)
  const results = trailingToolResults(turns)
  const tools = results.length > 0 ? [] : chooseTools(question, prompt)
  const content = tools.length > 0 ? callTools(tools, prompt) : [say(question, prompt, results)]
  const parts = question.reasoning ? [reason(prompt, tools), ...content] : content
  return limitParts(parts, question.outputTokensMax, countInputTokens(question))
}

function callTools(tools: readonly OfferedTool[], prompt: string): readonly DemoToolCallPart[] {
  return tools.map((tool) => {
    const word = pickWord(prompt, tool.name)
    const fitted = fitSchema({ type: 'object', ...tool.schema }, word)
    const made = isObject(fitted) ? fitted : {}
    const argumentsText = JSON.stringify(made)
    return { kind: 'tool-call', name: tool.name, arguments: made, argumentsText }
  })
}

function say(question: Question, prompt: string, results: readonly string[]): DemoTextPart {
  const text = plainText(prompt, results)
  const { structure } = question
  switch (structure.kind) {
    case 'text':
      return { kind: 'text', text }
    case 'json-object':
      return { kind: 'text', text: JSON.stringify({ answer: text }) }
    case 'json-schema': {
      const made = fitSchema(structure.schema, pickWord(results.at(-1) ?? prompt, ''))
      return { kind: 'text', text: JSON.stringify(made) }
    }
  }
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
  const next =
    tools.length > 0
      ? `I should call ${tools.map((tool) => tool.name).join(' and ')}.`
      : 'A short answer will do.'
  return { kind: 'reasoning', text: `The user wrote ${countTokens(prompt)} words. ${next}` }
}

function lastUserText(turns: readonly DemoTurn[]): string {
  return turns.findLast((turn) => turn.role === 'user')?.text ?? ''
}

function trailingToolResults(turns: readonly DemoTurn[]): readonly string[] {
  const lastOther = turns.findLastIndex((turn) => turn.role !== 'tool')
  return turns.slice(lastOther + 1).map((turn) => turn.text)
}
