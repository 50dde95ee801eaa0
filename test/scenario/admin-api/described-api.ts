import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020'
import type { JsonSchema } from '../../unit/fields/arbitrary-of.ts'

/* The description of the admin API, for a reader who knows nothing else of the gateway. */

export interface DescribedParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

interface DescribedResponse {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

export interface DescribedOperation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly DescribedParameter[]
  readonly body: JsonSchema | undefined
  readonly isOpen: boolean
  readonly summary: string | undefined
  readonly tags: readonly string[]
  readonly scopes: readonly string[]
  responseOf(status: number): DescribedResponse | undefined
}

export interface DescribedApi {
  readonly operations: readonly DescribedOperation[]
  /** The schema with its references resolved. */
  whole(schema: JsonSchema): JsonSchema
  check(schema: JsonSchema, value: unknown): string | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: a document that is only read here.
type Document = any

export function readDescription(document: Document): DescribedApi {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
  ajv.addSchema({ $id: 'doc:', components: document.components })
  const compiled = new Map<string, ValidateFunction>()
  const followed = (schema: JsonSchema): JsonSchema =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"doc:#/components/'))
  const check = (schema: JsonSchema, value: unknown) => {
    const key = JSON.stringify(schema)
    const validate = compiled.get(key) ?? ajv.compile(followed(schema))
    compiled.set(key, validate)
    // As it comes over the wire.
    const read: unknown = value === undefined ? undefined : JSON.parse(JSON.stringify(value))
    return validate(read) ? undefined : ajv.errorsText(validate.errors)
  }
  const find = (reference: string) =>
    reference
      .slice(2)
      .split('/')
      .reduce((at: Document, name) => at[name], document)
  const whole = (schema: Document): JsonSchema => {
    if (Array.isArray(schema)) return schema.map(whole) as never
    if (typeof schema !== 'object' || schema === null) return schema
    if (typeof schema.$ref === 'string') return whole(find(schema.$ref))
    return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, whole(value)]))
  }
  const operations = Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Document>(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content['application/json'].schema,
      isOpen: operation.security?.length === 0,
      summary: operation.summary,
      tags: operation.tags ?? [],
      scopes: operation['x-scopes'] ?? [],
      responseOf: (status: number) => {
        const response = operation.responses[status]
        return response?.$ref === undefined ? response : find(response.$ref)
      },
    })),
  )
  return { operations, whole, check }
}
