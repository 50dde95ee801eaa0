import { z } from 'zod'
import type { Exchange } from './exchange.ts'

const jsonObject = z.record(z.string(), z.unknown())

const behaviour = z.union([
  z.strictObject({ kind: z.literal('demo') }),
  z.strictObject({ kind: z.literal('no-usage') }),
  z.strictObject({
    kind: z.literal('status'),
    status: z.int(),
    message: z.string().optional(),
  }),
])

const exchange = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
    from: z.union([z.literal('written'), behaviour]),
    vendor: z.string().min(1),
    model: z.string().min(1),
    endpoint: z.enum(['answer', 'count-tokens', 'models']).optional(),
    conversation: z.string().optional(),
    request: jsonObject.optional(),
    status: z.int().min(200).max(599),
    reply: jsonObject.optional(),
    stream: z.array(z.union([jsonObject, z.string()])).optional(),
    rest: z.string().optional(),
    isCut: z.literal(true).optional(),
    oddity: z.string().optional(),
  })
  .refine(({ reply, stream }) => (reply === undefined) !== (stream === undefined), {
    error: 'An exchange has either a reply or a stream.',
  })
  .refine(({ rest, isCut }) => rest === undefined || isCut === true, {
    error: 'A stream with a rest is cut.',
  })

const exchanges = z.array(exchange).min(1)

/** Parses the exchanges of a file; the error contains the path of the invalid value. */
export function parseExchanges(value: unknown, file: string): readonly Exchange[] {
  const parsed = exchanges.safeParse(value)
  if (parsed.success) return parsed.data as readonly Exchange[]
  throw new Error(`${file}: ${z.prettifyError(parsed.error)}`)
}
