import type { ModelRequest, Part, Tool } from '../../core/neutral/model-request.ts'
import type { Notes } from '../notes.ts'
import type { ToolRules } from '../translation.ts'
import { type CallRestore, noRestore } from './call-restore.ts'
import { customToolAsFunction, grammarOf, wrapInput } from './custom-tool-as-function.ts'
import { fitCallIds } from './fit-call-ids.ts'
import { type IdentifierRules, isFitIdentifier } from './fit-identifier.ts'
import { fitToolChoice } from './fit-tool-choice.ts'
import { FittedNames } from './fitted-names.ts'

/**
 * Fits the tools of a request, and everything that refers to them, to an upstream: valid names and call ids, flat
 * namespaces, custom tools as functions. `restore` maps the calls of the reply back. A request that already fits is
 * returned unchanged. This step runs after all steps that identify calls by the client's ids.
 */
export function fitTools(
  request: ModelRequest,
  rules: ToolRules,
  notes: Notes,
): { request: ModelRequest; restore: CallRestore } {
  const withIds = fitCallIds(request, rules)
  if (areFit(request, rules)) {
    const toolChoice = fitToolChoice(request, undefined, notes)
    const isSame = toolChoice === request.toolChoice
    return { request: isSame ? withIds : { ...withIds, toolChoice }, restore: noRestore }
  }
  const names = new FittedNames(request, rules)
  if (names.hasHashes) notes.harmless('tools', 'renamed')
  const tools = request.tools.map((tool) => fitTool(tool, rules, names, notes))
  const toolChoice = fitToolChoice(request, names, notes)
  return {
    request: { ...withIds, tools, toolChoice, turns: fitTurns(withIds, rules, names) },
    restore: names.isIdentity ? noRestore : names,
  }
}

function fitTool(tool: Tool, rules: ToolRules, names: FittedNames, notes: Notes): Tool {
  if (tool.type === 'hosted') return tool
  const isWrapped = tool.type === 'custom' && !rules.takesCustomTools
  if (isWrapped && grammarOf(tool.format) !== undefined) notes.lossy('tools', 'grammar_described')
  return {
    ...(isWrapped ? customToolAsFunction(tool) : tool),
    name: names.nameOf(tool.name, tool.namespace),
    namespace: names.namespaceOf(tool.namespace),
  }
}

function fitTurns(request: ModelRequest, rules: ToolRules, names: FittedNames) {
  const nameOfCall = new Map<string, string>()
  const fit = (part: Part): Part => {
    if (part.type === 'tool-call') {
      const name = names.nameOf(part.name, part.namespace)
      const namespace = names.namespaceOf(part.namespace)
      nameOfCall.set(part.id, name)
      const isWrapped = part.form === 'custom' && !rules.takesCustomTools
      const argumentsText = isWrapped ? wrapInput(part.argumentsText) : part.argumentsText
      const form = isWrapped ? 'function' : part.form
      return { ...part, name, namespace, form, argumentsText }
    }
    if (part.type !== 'tool-result') return part
    const form = rules.takesCustomTools ? part.form : 'function'
    if (part.name === undefined) return { ...part, form }
    const name = nameOfCall.get(part.callId) ?? names.nameOf(part.name, undefined)
    return { ...part, name, form }
  }
  return request.turns.map((turn) => ({ ...turn, parts: turn.parts.map(fit) }))
}

function areFit(request: ModelRequest, rules: ToolRules): boolean {
  const nameRules = { lengthMax: rules.nameLengthMax, pattern: rules.namePattern }
  return (
    request.tools.every(
      (tool) => tool.type === 'hosted' || isFit(tool, tool.type, rules, nameRules),
    ) &&
    request.turns.every((turn) => turn.parts.every((part) => isFitPart(part, rules, nameRules)))
  )
}

function isFitPart(part: Part, rules: ToolRules, nameRules: IdentifierRules): boolean {
  if (part.type === 'tool-call') return isFit(part, part.form, rules, nameRules)
  if (part.type !== 'tool-result') return true
  if (part.form === 'custom' && !rules.takesCustomTools) return false
  return part.name === undefined || isFitIdentifier(part.name, nameRules)
}

function isFit(
  { name, namespace }: { readonly name: string; readonly namespace?: string | undefined },
  form: 'function' | 'custom',
  rules: ToolRules,
  nameRules: IdentifierRules,
): boolean {
  if (form === 'custom' && !rules.takesCustomTools) return false
  return (namespace === undefined || rules.takesNamespaces) && isFitIdentifier(name, nameRules)
}
