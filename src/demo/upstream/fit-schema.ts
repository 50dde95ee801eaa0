import { isObject } from '../../wire/json.ts'
import { fieldOf, listAt, listOf, textAt, textOf } from './json-value.ts'

// A schema may refer to itself, so the depth and the size of the value are limited.
const depthMax = 12
const valuesMax = 1_000

/** The smallest value that fits a JSON schema; `word` is the value of texts. */
export function fitSchema(root: unknown, word: string): unknown {
  let made = 0
  return fitPlace(root, 0)

  function fitPlace(schema: unknown, depth: number): unknown {
    made += 1
    if (depth > depthMax || made > valuesMax) return null
    const fitInner = (inner: unknown) => fitPlace(inner, depth + 1)
    const reference = textAt(schema, '$ref')
    if (reference !== undefined) return fitInner(resolveReference(root, reference))
    const fixed = [fieldOf(schema, 'const'), ...listAt(schema, 'enum')]
    const chosen = fixed.find((value) => value !== undefined)
    if (chosen !== undefined) return chosen
    const branches = listAt(schema, 'anyOf', 'oneOf')
    if (branches.length > 0) return fitInner(branches[0])
    const layers = listAt(schema, 'allOf').map(fitInner)
    if (layers.length === 0) return fitType(schema, word, fitInner)
    const records = [...layers, fitType(schema, word, fitInner)].filter(isObject)
    return records.length > 0 ? Object.fromEntries(records.flatMap(Object.entries)) : layers[0]
  }
}

function fitType(schema: unknown, word: string, fitInner: (inner: unknown) => unknown): unknown {
  switch (typeOf(schema)) {
    case 'object': {
      const properties = fieldOf(schema, 'properties')
      const required = listAt(schema, 'required').filter((name) => typeof name === 'string')
      return Object.fromEntries(required.map((name) => [name, fitInner(fieldOf(properties, name))]))
    }
    case 'array': {
      const wanted = Number(fieldOf(schema, 'minItems', 'min_items') ?? 0)
      const length = Number.isFinite(wanted) ? Math.min(Math.max(0, Math.trunc(wanted)), 8) : 0
      return Array.from({ length }, () => fitInner(fieldOf(schema, 'items')))
    }
    case 'integer':
    case 'number':
      return fitNumber(schema)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return fitText(schema, word)
  }
}

function fitNumber(schema: unknown): number {
  const step = boundOf(schema, 'multipleOf') ?? 1
  const above = boundOf(schema, 'exclusiveMinimum')
  const floor = boundOf(schema, 'minimum') ?? (above === undefined ? 1 : above + step)
  const ceiling = boundOf(schema, 'maximum') ?? Number.POSITIVE_INFINITY
  const value = Math.min(Math.max(1, floor), ceiling)
  return step === 1 ? value : Math.ceil(value / step) * step
}

function fitText(schema: unknown, word: string): string {
  const sample = textSamples.get(textAt(schema, 'format') ?? '') ?? word
  const lengthMin = Math.min(boundOf(schema, 'minLength') ?? 0, 256)
  return sample.padEnd(lengthMin, 'x').slice(0, boundOf(schema, 'maxLength'))
}

const textSamples: ReadonlyMap<string, string> = new Map([
  ['date', '2026-01-01'],
  ['date-time', '2026-01-01T00:00:00Z'],
  ['time', '00:00:00Z'],
  ['email', 'demo@example.com'],
  ['uri', 'https://example.com/'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
])

// Gemini writes types in capitals, and a list of types allows any of them.
function typeOf(schema: unknown): string {
  const declared = fieldOf(schema, 'type')
  const first = listOf(declared).find((type) => type !== 'null') ?? declared
  const untyped = fieldOf(schema, 'properties') === undefined ? 'string' : 'object'
  return textOf(first)?.toLowerCase() ?? untyped
}

function boundOf(schema: unknown, name: string): number | undefined {
  const bound = fieldOf(schema, name)
  return typeof bound === 'number' && Number.isFinite(bound) ? bound : undefined
}

function resolveReference(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined
  const names = reference.split('/').slice(1)
  return names.reduce<unknown>(
    (value, name) => fieldOf(value, name.replaceAll('~1', '/').replaceAll('~0', '~')),
    root,
  )
}
