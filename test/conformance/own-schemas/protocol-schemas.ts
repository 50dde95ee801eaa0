import { z } from 'zod'

/** What a protocol's own documentation says of each thing that goes over the wire. */
export interface ProtocolSchemas {
  readonly request: z.ZodType
  readonly response: z.ZodType
  readonly event: z.ZodType
  readonly error: z.ZodType
  readonly models: z.ZodType
  /** Absent in the protocol that does not count tokens. */
  readonly countRequest?: z.ZodType
  readonly count?: z.ZodType
}

export const count = z.int().min(0)
export const anyObject = z.record(z.string(), z.unknown())
/** A JSON Schema of a tool or an answer; what stands in it is the caller's. */
export const jsonSchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  properties: anyObject.optional(),
})
export const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
export const dataUrl = z.string().regex(/^data:[\w.+-]+\/[\w.+-]+;base64,[A-Za-z0-9+/]+=*$/)
export const webUrl = z.url({ protocol: /^https?$/ })
export const base64 = z.string().regex(/^[A-Za-z0-9+/]+=*$/)

/** Labels that a caller puts on a request. */
export const metadata = z.record(z.string().max(64), z.string().max(512))
