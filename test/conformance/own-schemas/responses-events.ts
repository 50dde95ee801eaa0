import { z } from 'zod'
import { count } from './protocol-schemas.ts'
import { annotation, logprob, outputItem, outputPart, summaryPart } from './responses-items.ts'

type Members = Readonly<Record<string, z.ZodType>>

const inItem = { item_id: z.string().min(1), output_index: count }
const inContent = { ...inItem, content_index: count }
const inSummary = { ...inItem, summary_index: count }
const obfuscation = z.string().optional()
const logprobs = z.array(logprob).optional()

/** Every event except the two that report a failure: its type, and its members besides the sequence number. */
const members = (response: z.ZodType): Readonly<Record<string, Members>> => ({
  'response.created': { response },
  'response.in_progress': { response },
  'response.completed': { response },
  'response.incomplete': { response },
  'response.failed': { response },
  'response.output_item.added': { output_index: count, item: outputItem },
  'response.output_item.done': { output_index: count, item: outputItem },
  'response.content_part.added': { ...inContent, part: outputPart },
  'response.content_part.done': { ...inContent, part: outputPart },
  'response.output_text.delta': { ...inContent, delta: z.string(), logprobs, obfuscation },
  'response.output_text.done': { ...inContent, text: z.string(), logprobs },
  'response.output_text.annotation.added': { ...inContent, annotation_index: count, annotation },
  'response.refusal.delta': { ...inContent, delta: z.string(), obfuscation },
  'response.refusal.done': { ...inContent, refusal: z.string() },
  'response.reasoning_summary_part.added': { ...inSummary, part: summaryPart },
  'response.reasoning_summary_part.done': { ...inSummary, part: summaryPart },
  'response.reasoning_summary_text.delta': { ...inSummary, delta: z.string(), obfuscation },
  'response.reasoning_summary_text.done': { ...inSummary, text: z.string() },
  'response.reasoning_text.delta': { ...inContent, delta: z.string(), obfuscation },
  'response.reasoning_text.done': { ...inContent, text: z.string() },
  'response.function_call_arguments.delta': { ...inItem, delta: z.string(), obfuscation },
  'response.function_call_arguments.done': {
    ...inItem,
    arguments: z.string(),
    name: z.string().optional(),
  },
  'response.custom_tool_call_input.delta': { ...inItem, delta: z.string(), obfuscation },
  'response.custom_tool_call_input.done': { ...inItem, input: z.string() },
  'response.web_search_call.in_progress': inItem,
  'response.web_search_call.searching': inItem,
  'response.web_search_call.completed': inItem,
  error: {
    code: z.string().nullable(),
    message: z.string().min(1),
    param: z.string().nullable(),
    error: z.looseObject({ message: z.string() }).optional(),
  },
})

/** An event by its type; one of an unknown type is not valid. */
export function responsesEvent(response: z.ZodType): z.ZodType {
  const shapes = new Map(
    Object.entries(members(response)).map(([type, own]) => [
      type,
      z.strictObject({ type: z.literal(type), sequence_number: count, ...own }),
    ]),
  )
  return z.looseObject({ type: z.string() }).superRefine((event, context) => {
    const shape = shapes.get(event.type)
    if (!shape) {
      context.addIssue({ code: 'custom', message: `unknown event ${event.type}` })
      return
    }
    const { error } = shape.safeParse(event)
    for (const { path, message } of error?.issues ?? []) {
      context.addIssue({ code: 'custom', path, message })
    }
  })
}
