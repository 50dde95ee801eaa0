import { type Effort, efforts, type ReasoningRequest } from '../../core/model-request.ts'
import { isObject, type JsonObject, stringAt } from '../../wire/json.ts'
import { wrongType } from '../../wire/read-field.ts'

/** Compatible servers' words for the model's own default. */
const defaults: ReadonlySet<unknown> = new Set(['default', 'auto'])

/** An empty object requests nothing. A request for a summary is a request for visible reasoning. */
export function decodeEffort(value: unknown): ReasoningRequest | undefined {
  if (!isObject(value)) return undefined
  const isDefault = defaults.has(value['effort'])
  const effort = readEffort(value)
  const isVisible = readVisible(value)
  if (effort === undefined && isVisible === undefined && !isDefault) return undefined
  const visible = isVisible === undefined ? {} : { isVisible }
  if (effort === undefined) return { mode: 'auto', ...visible }
  if (effort === 'none') return { mode: 'off', ...visible }
  return { mode: 'effort', effort, ...visible }
}

function readEffort(value: JsonObject): Effort | undefined {
  const said = value['effort'] ?? undefined
  if (said === undefined || said === '' || defaults.has(said)) return undefined
  const effort = efforts.find((each) => each === said)
  if (effort === undefined) throw wrongType('reasoning.effort', `one of ${efforts.join(', ')}`)
  return effort
}

function readVisible(value: JsonObject): boolean | undefined {
  const summary = stringAt(value, 'summary') ?? stringAt(value, 'generate_summary')
  return summary === undefined || summary === '' ? undefined : summary !== 'none'
}
