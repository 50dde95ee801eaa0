import { type OutputLimitName, outputLimitNames, type ParameterPolicy } from './parameter-policy.ts'
import { findPolicyProblem } from './parameter-rules.ts'

type Bounds = readonly [number | null, number | null]

/**
 * A policy out of JSON. Undefined for what is none, or breaks a rule: it was checked when it was written, and
 * whoever has changed it since meant no good.
 */
export function readPolicy(value: unknown): ParameterPolicy | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const written: Readonly<Record<string, unknown>> = { ...value }
  const rename = recordOf(written['rename'], isText)
  const drop = Array.isArray(written['drop']) ? written['drop'].filter(isText) : []
  const clamp = recordOf(written['clamp'], isBounds)
  const defaults = recordOf(written['default'], (each): each is unknown => each !== undefined)
  const outputLimit = outputLimitNames.find((name) => name === written['outputLimit'])
  const headers = recordOf(written['headers'], isText)
  const policy: ParameterPolicy = {
    ...(rename && { rename }),
    ...(drop.length > 0 && { drop }),
    ...(clamp && { clamp }),
    ...(defaults && { default: defaults }),
    ...limitOf(outputLimit),
    ...(headers && { headers }),
  }
  return Object.keys(policy).length === 0 || findPolicyProblem(policy) ? undefined : policy
}

function limitOf(outputLimit: OutputLimitName | undefined) {
  return outputLimit === undefined ? {} : { outputLimit }
}

function recordOf<Value>(
  value: unknown,
  isGood: (each: unknown) => each is Value,
): Record<string, Value> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const good: Record<string, Value> = {}
  for (const [name, each] of Object.entries(value)) if (isGood(each)) good[name] = each
  return Object.keys(good).length === 0 ? undefined : good
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isBounds(value: unknown): value is Bounds {
  return Array.isArray(value) && value.length === 2 && value.every(isBound)
}

function isBound(value: unknown): value is number | null {
  return value === null || typeof value === 'number'
}
