import { z } from 'zod'
import { anyObject, count } from './protocol-schemas.ts'

export const status = z.enum(['in_progress', 'completed', 'incomplete'])

export const annotation = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('url_citation'),
    url: z.string(),
    title: z.string(),
    start_index: count,
    end_index: count,
  }),
  z.strictObject({
    type: z.literal('file_citation'),
    file_id: z.string(),
    filename: z.string(),
    index: count,
  }),
])

const tokenMembers = {
  token: z.string(),
  logprob: z.number().max(0),
  bytes: z.array(z.int().min(0).max(255)),
}
export const logprob = z.strictObject({
  ...tokenMembers,
  top_logprobs: z.array(z.strictObject(tokenMembers)),
})

export const outputPart = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(annotation),
    logprobs: z.array(logprob).optional(),
  }),
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
])
export const summaryPart = z.strictObject({ type: z.literal('summary_text'), text: z.string() })
const reasoningText = z.strictObject({ type: z.literal('reasoning_text'), text: z.string() })

export const outputItem = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message'),
    id: z.string().min(1),
    role: z.literal('assistant'),
    status,
    content: z.array(outputPart),
    phase: z.string().nullish(),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    id: z.string().min(1),
    call_id: z.string().min(1),
    name: z.string().min(1),
    arguments: z.string(),
    status,
    namespace: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal('custom_tool_call'),
    id: z.string().min(1),
    call_id: z.string().min(1),
    name: z.string().min(1),
    input: z.string(),
    status: status.optional(),
    namespace: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string().min(1),
    summary: z.array(summaryPart),
    content: z.array(reasoningText).optional(),
    encrypted_content: z.string().nullish(),
    status: status.nullish(),
  }),
  z.strictObject({
    type: z.literal('web_search_call'),
    id: z.string().min(1),
    status: z.enum(['in_progress', 'searching', 'completed', 'failed']),
    action: anyObject.optional(),
  }),
  z.strictObject({
    type: z.literal('image_generation_call'),
    id: z.string().min(1),
    status: z.string(),
    result: z.string().nullish(),
  }),
])
