import type { ModelRequest } from '../../core/neutral/model-request.ts'
import { isCallable, type ToolRules } from '../translation.ts'
import type { CallRestore, OriginalTool } from './call-restore.ts'
import { fitIdentifier, type IdentifierRules, isFitIdentifier } from './fit-identifier.ts'

/** The names under which an upstream knows the tools of one request, and the mapping back. */
export class FittedNames implements CallRestore {
  readonly #nameRules: IdentifierRules
  readonly #takesNamespaces: boolean
  readonly #takesCustomTools: boolean
  readonly #fitted = new Map<string, string>()
  readonly #originals = new Map<string, OriginalTool>()
  #hasHashes = false

  constructor(request: ModelRequest, rules: ToolRules) {
    this.#nameRules = { lengthMax: rules.nameLengthMax, pattern: rules.namePattern }
    this.#takesNamespaces = rules.takesNamespaces
    this.#takesCustomTools = rules.takesCustomTools
    const tools = toolsOf(request)
    // Valid names are assigned first, so that no other tool is renamed to one of them.
    for (const tool of tools) if (this.#keepsName(tool)) this.#give(tool, tool.name)
    for (const tool of tools) if (!this.#keepsName(tool)) this.#give(tool, this.#newName(tool))
  }

  /** Some tool could not keep its name, even with its namespace as a prefix. */
  get hasHashes(): boolean {
    return this.#hasHashes
  }

  get isIdentity(): boolean {
    for (const [, original] of this.#originals) if (this.#isChanged(original)) return false
    return true
  }

  nameOf(name: string, namespace: string | undefined): string {
    return this.#fitted.get(keyOf(name, namespace)) ?? name
  }

  namespaceOf(namespace: string | undefined): string | undefined {
    return this.#takesNamespaces ? namespace : undefined
  }

  originalOf(name: string, namespace: string | undefined): OriginalTool | undefined {
    const original = this.#originals.get(keyOf(name, namespace))
    return original && this.#isChanged(original) ? original : undefined
  }

  #isChanged({ name, namespace, form }: OriginalTool): boolean {
    return (
      this.nameOf(name, namespace) !== name ||
      (namespace !== undefined && !this.#takesNamespaces) ||
      (form === 'custom' && !this.#takesCustomTools)
    )
  }

  #keepsName({ name, namespace }: OriginalTool): boolean {
    return (
      (namespace === undefined || this.#takesNamespaces) && isFitIdentifier(name, this.#nameRules)
    )
  }

  #newName({ name, namespace }: OriginalTool): string {
    const outer = this.namespaceOf(namespace)
    const isTaken = (candidate: string) => this.#originals.has(keyOf(candidate, outer))
    const whole = outer === namespace ? name : flatName(name, namespace)
    if (isFitIdentifier(whole, this.#nameRules) && !isTaken(whole)) return whole
    this.#hasHashes = true
    return fitIdentifier(whole, this.#nameRules, isTaken)
  }

  #give(tool: OriginalTool, fitted: string): void {
    this.#fitted.set(keyOf(tool.name, tool.namespace), fitted)
    this.#originals.set(keyOf(fitted, this.namespaceOf(tool.namespace)), tool)
  }
}

export function flatName(name: string, namespace: string | undefined): string {
  return namespace === undefined ? name : `${namespace}__${name}`
}

/** Every tool that the request mentions, once: first the defined tools, then those that appear only in the history. */
function toolsOf(request: ModelRequest): OriginalTool[] {
  const tools = new Map<string, OriginalTool>()
  const add = ({ name, namespace, form }: OriginalTool): void => {
    const key = keyOf(name, namespace)
    if (!tools.has(key)) tools.set(key, { name, namespace, form })
  }
  for (const tool of request.tools) {
    if (isCallable(tool)) add({ ...tool, namespace: tool.namespace, form: tool.type })
  }
  const callIds = new Set<string>()
  for (const { parts } of request.turns) {
    for (const part of parts) {
      if (part.type === 'tool-call') {
        callIds.add(part.id)
        add({ ...part, namespace: part.namespace })
      } else if (part.type === 'tool-result' && part.name !== undefined) {
        // A result has the name of its call. Only a result without a call has its own name.
        if (!callIds.has(part.callId))
          add({ name: part.name, namespace: undefined, form: part.form })
      }
    }
  }
  return [...tools.values()]
}

/** The length prefix marks the end of the namespace, whatever characters the two names contain. */
function keyOf(name: string, namespace: string | undefined): string {
  return namespace === undefined ? `:${name}` : `${namespace.length}:${namespace}${name}`
}
