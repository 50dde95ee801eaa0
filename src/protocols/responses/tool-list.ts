import type { Tool } from '../../core/model-request.ts'
import { SchemaNodes, SchemaWork } from '../schema/schema-work.ts'

/** The tools of one request, each once, and what reading their schemas may cost. */
export class ToolList {
  readonly tools: Tool[] = []
  readonly work = new SchemaWork('tools', new SchemaNodes())
  readonly #keys = new Set<string>()

  /** A tool that is already there stays as it is. */
  add(tool: Tool): void {
    const key = keyOf(tool)
    if (this.#keys.has(key)) return
    this.#keys.add(key)
    this.tools.push(tool)
  }

  has(name: string, namespace: string | undefined): boolean {
    return this.#keys.has(keyOfName(name, namespace))
  }
}

/** Equal for tools that are the same: a function and a custom tool share their names. */
function keyOf(tool: Tool): string {
  if (tool.type === 'hosted') return `hosted ${tool.json}`
  return keyOfName(tool.name, tool.namespace)
}

function keyOfName(name: string, namespace: string | undefined): string {
  return namespace === undefined
    ? `tool ${name}`
    : `tool of ${namespace.length} ${namespace}${name}`
}
