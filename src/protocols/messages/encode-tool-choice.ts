import type { ModelRequest, Tool, ToolChoice } from '../../core/model-request.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { Notes } from '../notes.ts'
import type { Target } from '../translation.ts'

export interface EncodedChoice {
  /** The field `tool_choice`. */
  readonly field: JsonObject | undefined
  /** Text for the system prompt, where the model does not accept a forced call. */
  readonly instruction: string | undefined
}

export function encodeToolChoice(
  { toolChoice, parallelCalls, tools }: ModelRequest,
  target: Target,
  notes: Notes,
): EncodedChoice {
  const requested = toolChoice && choiceOf(toolChoice, tools, notes)
  const instruction = requested && instead(requested, target)
  if (instruction !== undefined) notes.lossy('toolChoice', 'not_forced')
  const field = instruction === undefined ? requested : { type: 'auto' }
  if (parallelCalls !== false || field?.['type'] === 'none') return { field, instruction }
  return { field: { ...(field ?? { type: 'auto' }), disable_parallel_tool_use: true }, instruction }
}

/**
 * The newest models reject a forced call, but nearly always make a call that the prompt asks for. The other tools stay,
 * because the history may mention them and because a prompt with other tools misses the cache.
 */
function instead({ type, name }: JsonObject, { traits }: Target): string | undefined {
  if (traits.takesForcedCalls !== false) return undefined
  if (type === 'tool') return `Answer by calling the tool "${String(name)}", and with nothing else.`
  if (type === 'any') return 'Answer by calling one of the tools, and with nothing else.'
  return undefined
}

function choiceOf(choice: ToolChoice, tools: readonly Tool[], notes: Notes): JsonObject {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return { type: choice.type }
    case 'required':
      return { type: 'any' }
    case 'allowed':
      return { type: choice.isRequired ? 'any' : 'auto' }
    case 'tool': {
      const tool = tools.find((each) => each.name === choice.name)
      if (!tool) {
        notes.refuse('toolChoice', `The chosen tool "${choice.name}" is not among the tools.`)
      }
      const isSearch = tool.type === 'hosted' && tool.kind === 'web-search'
      return { type: 'tool', name: isSearch ? 'web_search' : choice.name }
    }
  }
}
