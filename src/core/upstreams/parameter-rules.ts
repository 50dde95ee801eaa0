import type { ParameterPolicy } from './parameter-policy.ts'

/** The gateway depends on these fields: it has priced the model, and reads the answer as a stream or as a whole. */
const ownFields: ReadonlySet<string> = new Set(['model', 'stream'])

/** These fields limit the cost of an answer, and the hold was computed with them before the request is written. */
const costFields: ReadonlySet<string> = new Set([
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'n',
  'generationConfig.maxOutputTokens',
  'generationConfig.candidateCount',
])

const credentialHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
])

const connectionHeaders: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'accept',
  'accept-encoding',
])

// Written without Unicode classes, so that tools that read the API description understand the pattern.
const plain = String.raw`[^.\u0000-\u001f\u007f-\u009f]`
/** A field of a body or, with a dot, a field inside a field. */
export const fieldPattern = new RegExp(String.raw`^${plain}{1,100}(?:\.${plain}{1,100})?$`)
export const headerPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
export const headerTextCharactersMax = 1_000
export const headerTextPattern = new RegExp(`^[\\x20-\\x7e]{0,${headerTextCharactersMax}}$`)

/** A forbidden rule in a policy, with the reason. */
export interface PolicyProblem {
  /** Position of the rule in the policy, such as `['drop', 0]`. */
  readonly path: readonly (string | number)[]
  readonly why: PolicyReason
  /** The field of the rule, if the path does not name it. */
  readonly field?: string
}

/** `own`: the gateway depends on the field. `cost`: an answer could cost more than its hold. */
export type PolicyReason =
  | 'field'
  | 'own'
  | 'object'
  | 'cost'
  | 'background'
  | 'dropped'
  | 'renamed'
  | 'order'
  | 'credential'
  | 'connection'
  | 'header'
  | 'header_text'

/**
 * A policy must not change a field that the gateway depends on, make an answer more expensive, or replace a credential.
 */
export function findPolicyProblem(policy: ParameterPolicy): PolicyProblem | undefined {
  return (
    findFieldProblem(policy) ??
    findCostProblem(policy) ??
    findBackground(policy) ??
    findTwice(policy) ??
    findHeaderProblem(policy)
  )
}

function* namedFields(
  policy: ParameterPolicy,
): Generator<{ field: string; path: (string | number)[] }> {
  for (const [from, to] of Object.entries(policy.rename ?? {})) {
    yield { field: from, path: ['rename', from] }
    yield { field: to, path: ['rename', from] }
  }
  for (const [index, field] of (policy.drop ?? []).entries()) yield { field, path: ['drop', index] }
  for (const field of Object.keys(policy.clamp ?? {})) yield { field, path: ['clamp', field] }
  for (const field of Object.keys(policy.default ?? {})) yield { field, path: ['default', field] }
}

function findFieldProblem(policy: ParameterPolicy): PolicyProblem | undefined {
  for (const { field, path } of namedFields(policy)) {
    if (!fieldPattern.test(field)) return { path, why: 'field' }
    const outer = field.split('.')[0] ?? ''
    if (ownFields.has(outer)) {
      return { path, why: 'own', field: outer }
    }
  }
  for (const [from, to] of Object.entries(policy.rename ?? {})) {
    if (outerOf(from) !== outerOf(to)) {
      return { path: ['rename', from], why: 'object' }
    }
  }
  return undefined
}

function outerOf(field: string): string {
  return field.includes('.') ? (field.split('.')[0] ?? '') : ''
}

/** The number of answers. The hold counts only the caller's own number. */
const countFields: ReadonlySet<string> = new Set(['n', 'generationConfig.candidateCount'])

/** A limit may be lowered, renamed, or set where there is none, but never raised or removed. */
function findCostProblem(policy: ParameterPolicy): PolicyProblem | undefined {
  const { rename, drop, clamp } = policy
  const why = 'cost'
  for (const field of Object.keys(policy.default ?? {})) {
    if (countFields.has(field)) return { path: ['default', field], why }
  }
  for (const [field, newName] of Object.entries(rename ?? {})) {
    if (costFields.has(newName) && !costFields.has(field)) return { path: ['rename', field], why }
  }
  for (const [index, field] of (drop ?? []).entries()) {
    const isCost = [...costFields].some((each) => each === field || outerOf(each) === field)
    if (isCost) return { path: ['drop', index], why }
  }
  for (const [field, [least]] of Object.entries(clamp ?? {})) {
    if (costFields.has(field) && least !== null) return { path: ['clamp', field], why }
  }
  return undefined
}

/** The gateway also refuses responses that run in the background when a client asks for them (responses protocol). */
const backgroundField = 'background'

function findBackground({
  rename,
  default: defaults = {},
}: ParameterPolicy): PolicyProblem | undefined {
  const why = 'background'
  if (Object.hasOwn(defaults, backgroundField) && defaults[backgroundField] !== false)
    return { path: ['default', backgroundField], why }
  const renamed = Object.entries(rename ?? {}).find(([, to]) => to === backgroundField)
  return renamed ? { path: ['rename', renamed[0]], why } : undefined
}

function findTwice(policy: ParameterPolicy): PolicyProblem | undefined {
  const { rename, drop, clamp } = policy
  const others = [rename, clamp, policy.default]
  for (const [index, field] of (drop ?? []).entries()) {
    if (others.some((each) => each && Object.hasOwn(each, field))) {
      return { path: ['drop', index], why: 'dropped', field }
    }
  }
  const named = new Set([...(drop ?? []), ...others.flatMap((each) => Object.keys(each ?? {}))])
  for (const [field, newName] of Object.entries(rename ?? {})) {
    const path = ['rename', field]
    if (named.has(newName)) {
      return { path, why: 'renamed', field: newName }
    }
    named.add(newName)
  }
  for (const [field, [least, most]] of Object.entries(clamp ?? {})) {
    if (least !== null && most !== null && least > most) {
      return { path: ['clamp', field], why: 'order' }
    }
  }
  return undefined
}

function findHeaderProblem({ headers }: ParameterPolicy): PolicyProblem | undefined {
  for (const [name, value] of Object.entries(headers ?? {})) {
    const path = ['headers', name]
    const lower = name.toLowerCase()
    if (credentialHeaders.has(lower)) {
      return { path, why: 'credential' }
    }
    if (connectionHeaders.has(lower)) {
      return { path, why: 'connection' }
    }
    if (!headerPattern.test(name)) {
      return { path, why: 'header' }
    }
    if (!headerTextPattern.test(value)) {
      return { path, why: 'header_text' }
    }
  }
  return undefined
}
