import type { Tool } from '../../core/model-request.ts'
import { isObject, type JsonObject, objectAt, stringAt } from '../../wire/json.ts'
import { decodeTool } from './decode-tools.ts'

/** A block that offers a tool from its place on, or withdraws one. */
export function isToolChange({ type }: JsonObject): boolean {
  return type === 'tool_addition' || type === 'tool_removal'
}

/** The definitions that stand inside a conversation, in order, with where they stand. */
export function* inlineTools(messages: unknown): Generator<{ tool: JsonObject; at: string }> {
  for (const { block, at } of changesIn(messages)) {
    const definition = definitionOf(block)
    if (definition) yield { tool: definition, at: `${at}.tool.definition` }
  }
}

/** The tools that are offered at the end of a conversation: other protocols offer the same ones throughout. */
export function applyToolChanges(declared: readonly Tool[], messages: unknown): readonly Tool[] {
  const known = new Map(declared.map((tool) => [tool.name, tool]))
  const offered = new Map(known)
  for (const { block, at } of changesIn(messages)) {
    const definition = definitionOf(block)
    if (definition) {
      const tool = decodeTool(definition, `${at}.tool.definition`)
      known.set(tool.name, tool)
      offered.set(tool.name, tool)
      continue
    }
    const name = stringAt(objectAt(block, 'tool') ?? {}, 'name')
    if (name === undefined) continue
    const tool = known.get(name)
    if (block['type'] === 'tool_removal') offered.delete(name)
    else if (tool) offered.set(name, tool)
  }
  return [...offered.values()]
}

function* changesIn(messages: unknown): Generator<{ block: JsonObject; at: string }> {
  if (!Array.isArray(messages)) return
  for (const [index, message] of messages.entries()) {
    const content: unknown = isObject(message) ? message['content'] : undefined
    if (!Array.isArray(content)) continue
    for (const [place, block] of content.entries()) {
      if (isObject(block) && isToolChange(block))
        yield { block, at: `messages[${index}].content[${place}]` }
    }
  }
}

export function definitionOf(block: JsonObject): JsonObject | undefined {
  if (block['type'] !== 'tool_addition') return undefined
  return objectAt(objectAt(block, 'tool') ?? {}, 'definition')
}
