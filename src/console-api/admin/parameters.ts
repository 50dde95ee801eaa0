import { z } from 'zod'
import { aboutParameters } from './about-parameters.ts'

/** A query parameter in the OpenAPI description. */
export interface Parameter {
  readonly name: string
  readonly isNeeded: boolean
  readonly description: string | undefined
  readonly schema: unknown
}

const known = new WeakMap<z.ZodType, readonly Parameter[]>()

/** Query parameters in the order of the schema. */
export function parametersOf(query: z.ZodType | undefined): readonly Parameter[] {
  if (!query) return []
  const before = known.get(query)
  if (before) return before
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' })
  const parameters = Object.entries(properties).map(([name, property]) => {
    const { description, described, ...schema } = typeof property === 'object' ? property : {}
    return {
      name,
      isNeeded: required.includes(name),
      description: description ?? aboutParameters[name],
      schema: described ?? schema,
    }
  })
  known.set(query, parameters)
  return parameters
}
