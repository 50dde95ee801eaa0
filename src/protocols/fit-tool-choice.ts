import type { ModelRequest, ToolChoice } from '../core/model-request.ts'
import { type FittedNames, flatName } from './fitted-names.ts'
import type { Notes } from './notes.ts'
import { isCallable } from './translation.ts'

/** The choice in the names that the upstream knows; refused when it names a tool that does not exist. */
export function fitToolChoice(
  request: ModelRequest,
  names: FittedNames | undefined,
  notes: Notes,
): ToolChoice | undefined {
  const choice = request.toolChoice
  switch (choice?.type) {
    case 'tool': {
      const [tool] = toolsNamed(request, choice.name, choice.namespace)
      if (tool) {
        return names
          ? {
              type: 'tool',
              name: names.nameOf(tool.name, tool.namespace),
              namespace: names.namespaceOf(tool.namespace),
            }
          : choice
      }
      if (request.tools.every(isCallable)) {
        notes.refuse(
          'toolChoice',
          `The tool choice names "${choice.name}", which is not among the tools.`,
        )
      }
      return choice
    }
    case 'allowed': {
      if (!names) return choice
      const fitted = choice.names.flatMap((name) => {
        const tools = toolsNamed(request, name, undefined)
        return tools.length === 0
          ? [name]
          : tools.map((tool) => names.nameOf(tool.name, tool.namespace))
      })
      return { ...choice, names: [...new Set(fitted)] }
    }
    default:
      return choice
  }
}

/** The tools that a choice may mean; one without a namespace may leave out that of the tool, or write it in front. */
function toolsNamed(request: ModelRequest, name: string, namespace: string | undefined) {
  const callable = request.tools.filter(isCallable)
  const exact = callable.filter((tool) => tool.name === name && tool.namespace === namespace)
  if (exact.length > 0 || namespace !== undefined) return exact
  return callable.filter(
    (tool) => tool.name === name || flatName(tool.name, tool.namespace) === name,
  )
}
