import type { ModelRequest, Tool, ToolChoice } from '../../core/neutral/model-request.ts'
import type { Notes } from '../notes.ts'
import { isCallable } from '../translation.ts'
import { type FittedNames, flatName } from './fitted-names.ts'

type CallableTool = Exclude<Tool, { type: 'hosted' }>

/** The choice with the tool names that the upstream knows. A choice of an unknown tool is refused. */
export function fitToolChoice(
  request: ModelRequest,
  names: FittedNames | undefined,
  notes: Notes,
): ToolChoice | undefined {
  const choice = request.toolChoice
  if (choice?.type === 'tool') {
    const [tool] = toolsMeant(toolsByName(request), choice.name, choice.namespace)
    if (!tool && request.tools.every(isCallable)) {
      const name = JSON.stringify(choice.name.slice(0, 80))
      notes.refuse(
        'toolChoice',
        `The tool choice names ${name}, which is not among the tools. Add the tool, or change the tool choice.`,
      )
    }
    if (!tool || !names) return choice
    const namespace = names.namespaceOf(tool.namespace)
    return { type: 'tool', name: names.nameOf(tool.name, tool.namespace), namespace }
  }
  if (choice?.type === 'allowed' && names) {
    const byName = toolsByName(request)
    const fitted = choice.names.flatMap((name) => {
      const tools = toolsMeant(byName, name, undefined)
      if (tools.length === 0) return [name]
      return tools.map((tool) => names.nameOf(tool.name, tool.namespace))
    })
    return { ...choice, names: [...new Set(fitted)] }
  }
  return choice
}

/** A choice may omit the tool's namespace, or write it in front of the name. */
function toolsMeant(
  byName: ReadonlyMap<string, readonly CallableTool[]>,
  name: string,
  namespace: string | undefined,
): readonly CallableTool[] {
  const named = byName.get(name) ?? []
  const exact = named.filter((tool) => tool.name === name && tool.namespace === namespace)
  return exact.length > 0 || namespace !== undefined ? exact : named
}

function toolsByName(request: ModelRequest): ReadonlyMap<string, readonly CallableTool[]> {
  const byName = new Map<string, CallableTool[]>()
  for (const tool of request.tools) {
    if (!isCallable(tool)) continue
    for (const name of new Set([tool.name, flatName(tool.name, tool.namespace)])) {
      const named = byName.get(name)
      if (named) named.push(tool)
      else byName.set(name, [tool])
    }
  }
  return byName
}
