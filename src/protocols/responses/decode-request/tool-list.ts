import type { Tool } from '../../../core/neutral/model-request.ts'
import { SchemaNodes, SchemaWork } from '../../schema/schema-work.ts'

/** The tools of one request, each once, and the limit on the work for their schemas. */
export class ToolList {
  readonly tools: Tool[] = []
  readonly work = new SchemaWork('tools', new SchemaNodes())
  readonly #keys = new Set<string>()

  /** A tool that is already in the list stays unchanged. */
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

/** The same key for the same tool: functions and custom tools share one set of names. */
function keyOf(tool: Tool): string {
  if (tool.type === 'hosted') return `hosted ${tool.json}`
  return keyOfName(tool.name, tool.namespace)
}

function keyOfName(name: string, namespace: string | undefined): string {
  return namespace === undefined
    ? `tool ${name}`
    : `tool of ${namespace.length} ${namespace}${name}`
}
