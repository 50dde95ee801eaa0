import { z } from 'zod'

/** The schemas of everything that a protocol sends over the wire, by its own documentation. */
export interface ProtocolSchemas {
  readonly request: z.ZodType
  readonly response: z.ZodType
  readonly event: z.ZodType
  readonly error: z.ZodType
  readonly models: z.ZodType
  /** Absent in the protocol without token counting. */
  readonly countRequest?: z.ZodType
  readonly count?: z.ZodType
}

export const count = z.int().min(0)
export const anyObject = z.record(z.string(), z.unknown())
/** A JSON Schema of a tool or an answer. Its content is the client's. */
export const jsonSchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  properties: anyObject.optional(),
})
export const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
export const dataUrl = z.string().regex(/^data:[\w.+-]+\/[\w.+-]+;base64,[A-Za-z0-9+/]+=*$/)
export const webUrl = z.url({ protocol: /^https?$/ })
export const base64 = z.string().regex(/^[A-Za-z0-9+/]+=*$/)

/** Labels that a client adds to a request. */
export const metadata = z.record(z.string().max(64), z.string().max(512))
