import type { Tool } from '../../../core/neutral/model-request.ts'
import { isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import { decodeTool } from './decode-tools.ts'

/** A block that adds a tool from its position on, or removes one. */
export function isToolChange({ type }: JsonObject): boolean {
  return type === 'tool_addition' || type === 'tool_removal'
}

/** The tool definitions inside a conversation, in order, with their paths. */
export function inlineTools(messages: unknown): readonly { tool: JsonObject; at: string }[] {
  const changes = changesIn(messages)
  if (changes.length === 0) return []
  return changes.flatMap(({ block, at }) => {
    const tool = definitionOf(block)
    return tool ? [{ tool, at: `${at}.tool.definition` }] : []
  })
}

/** The tools at the end of a conversation. Other protocols offer the same tools throughout. */
export function applyToolChanges(declared: readonly Tool[], messages: unknown): readonly Tool[] {
  const changes = changesIn(messages)
  if (declared.length === 0 && changes.length === 0) return declared
  const known = new Map(declared.map((tool) => [tool.name, tool]))
  const offered = new Map(known)
  for (const { block, at } of changes) {
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

interface ToolChange {
  readonly block: JsonObject
  readonly at: string
}

const noChanges: readonly ToolChange[] = []

/** Nearly no conversation has such a block, and every request calls this several times. */
function changesIn(messages: unknown): readonly ToolChange[] {
  if (!Array.isArray(messages)) return noChanges
  let changes: ToolChange[] | undefined
  for (let index = 0; index < messages.length; index += 1) {
    const message: unknown = messages[index]
    const content: unknown = isObject(message) ? message['content'] : undefined
    if (!Array.isArray(content)) continue
    for (let place = 0; place < content.length; place += 1) {
      const block: unknown = content[place]
      if (!isObject(block) || !isToolChange(block)) continue
      changes ??= []
      changes.push({ block, at: `messages[${index}].content[${place}]` })
    }
  }
  return changes ?? noChanges
}

export function definitionOf(block: JsonObject): JsonObject | undefined {
  if (block['type'] !== 'tool_addition') return undefined
  return objectAt(objectAt(block, 'tool') ?? {}, 'definition')
}
