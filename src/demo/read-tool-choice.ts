import { fieldOf, listOf, textOf } from './json-value.ts'
import type { DemoToolChoice } from './question.ts'

/** `tool_choice` of both OpenAI protocols; one nests names under `function`, the other does not. */
export function readToolChoice(choice: unknown): DemoToolChoice {
  if (choice === 'none' || choice === 'required') return { mode: choice }
  const type = textOf(fieldOf(choice, 'type'))
  if (type === 'function') return { mode: 'required', names: nameOf(choice) }
  if (type !== 'allowed_tools') return { mode: 'auto' }
  const allowed = fieldOf(choice, 'allowed_tools') ?? choice
  const mode = fieldOf(allowed, 'mode') === 'required' ? 'required' : 'auto'
  return { mode, names: listOf(fieldOf(allowed, 'tools')).flatMap(nameOf) }
}

function nameOf(value: unknown): readonly string[] {
  const name = textOf(fieldOf(fieldOf(value, 'function') ?? value, 'name'))
  return name === undefined ? [] : [name]
}
