import { z } from 'zod'
import { aboutParameters } from './about-parameters.ts'

/** A parameter of a query, as the description of the API tells of it. */
export interface Parameter {
  readonly name: string
  readonly isNeeded: boolean
  readonly description: string | undefined
  readonly schema: unknown
}

const known = new WeakMap<z.ZodType, readonly Parameter[]>()

/** The parameters that a call takes, in the order in which its schema has them. */
export function parametersOf(query: z.ZodType | undefined): readonly Parameter[] {
  if (!query) return []
  const before = known.get(query)
  if (before) return before
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' })
  const parameters = Object.entries(properties).map(([name, property]) => {
    const { description, told, ...schema } = typeof property === 'object' ? property : {}
    return {
      name,
      isNeeded: required.includes(name),
      description: description ?? aboutParameters[name],
      schema: told ?? schema,
    }
  })
  known.set(query, parameters)
  return parameters
}
