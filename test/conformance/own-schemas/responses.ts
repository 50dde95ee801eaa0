import { z } from 'zod'
import {
  anyObject,
  count,
  dataUrl,
  jsonSchema,
  metadata,
  type ProtocolSchemas,
  toolName,
  webUrl,
} from './protocol-schemas.ts'
import { responsesEvent } from './responses-events.ts'
import { outputItem, status } from './responses-items.ts'

const inputPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text: z.string() }),
  z.strictObject({
    type: z.literal('input_image'),
    image_url: z.union([dataUrl, webUrl]).nullish(),
    file_id: z.string().nullish(),
    detail: z.enum(['auto', 'low', 'high', 'original']).optional(),
  }),
  z.strictObject({
    type: z.literal('input_file'),
    filename: z.string().optional(),
    file_data: dataUrl.optional(),
    file_url: webUrl.optional(),
    file_id: z.string().nullish(),
    detail: z.string().optional(),
  }),
])

const saidPart = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(anyObject).optional(),
    logprobs: z.array(anyObject).optional(),
  }),
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
])

const inputMessage = z.strictObject({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'system', 'developer']),
  content: z.union([z.string(), z.array(inputPart)]),
  id: z.string().optional(),
  status: status.optional(),
})
const saidMessage = z.strictObject({
  type: z.literal('message').optional(),
  role: z.literal('assistant'),
  content: z.union([z.string(), z.array(z.union([saidPart, inputPart]))]),
  id: z.string().optional(),
  status: status.optional(),
  phase: z.string().nullish(),
})

const callId = z.string().min(1).max(64)
const output = z.union([z.string(), z.array(inputPart)])
const inputItem = z.union([
  inputMessage,
  saidMessage,
  z.strictObject({
    type: z.literal('function_call'),
    id: z.string().optional(),
    call_id: callId,
    name: z.string().min(1),
    arguments: z.string(),
    status: status.optional(),
    namespace: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    id: z.string().nullish(),
    call_id: callId,
    output,
    status: status.nullish(),
  }),
  z.strictObject({
    type: z.literal('custom_tool_call'),
    id: z.string().optional(),
    call_id: callId,
    name: z.string().min(1),
    input: z.string(),
    status: status.optional(),
    namespace: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal('custom_tool_call_output'),
    id: z.string().optional(),
    call_id: callId,
    output,
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string().optional(),
    summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
    content: z
      .array(z.strictObject({ type: z.literal('reasoning_text'), text: z.string() }))
      .optional(),
    encrypted_content: z.string().nullish(),
    status: status.optional(),
  }),
  z.strictObject({ type: z.literal('item_reference'), id: z.string() }),
  z.strictObject({
    type: z.literal('web_search_call'),
    id: z.string().optional(),
    status: z.string(),
    action: anyObject.optional(),
  }),
])

const tool = z.union([
  z.strictObject({
    type: z.literal('function'),
    name: toolName,
    description: z.string().nullish(),
    parameters: jsonSchema.nullable(),
    strict: z.boolean().nullable().optional(),
  }),
  z.strictObject({
    type: z.literal('custom'),
    name: toolName,
    description: z.string().optional(),
    format: anyObject.optional(),
  }),
  z.looseObject({
    type: z.string().regex(/^(?:web_search|file_search|code_interpreter|image_generation|mcp)/),
  }),
])

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.strictObject({ type: z.enum(['function', 'custom']), name: z.string() }),
  z.strictObject({
    type: z.literal('allowed_tools'),
    mode: z.enum(['auto', 'required']),
    tools: z.array(anyObject),
  }),
  z.strictObject({ type: z.string().regex(/^(?:web_search|file_search|image_generation)/) }),
])

const textConfig = z.strictObject({
  format: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text') }),
      z.strictObject({ type: z.literal('json_object') }),
      z.strictObject({
        type: z.literal('json_schema'),
        name: toolName,
        description: z.string().nullish(),
        schema: jsonSchema,
        strict: z.boolean().nullish(),
      }),
    ])
    .optional(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
})

const reasoning = z.strictObject({
  effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
  context: z.string().nullish(),
})

/** Members that a response repeats from its request. */
const echoed = {
  instructions: z.union([z.string(), z.array(anyObject)]).nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  max_tool_calls: z.int().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  tools: z.array(tool).optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: z.boolean().nullish(),
  text: textConfig.optional(),
  reasoning: reasoning.nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  background: z.boolean().nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  service_tier: z.string().nullish(),
  metadata: metadata.nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.string().nullish(),
  conversation: z.unknown().optional(),
  prompt: anyObject.nullish(),
}

const request = z.strictObject({
  ...echoed,
  model: z.string().min(1),
  input: z.union([z.string(), z.array(inputItem).min(1)]),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
  include: z
    .array(
      z.enum([
        'reasoning.encrypted_content',
        'message.output_text.logprobs',
        'message.input_image.image_url',
        'web_search_call.action.sources',
        'web_search_call.results',
        'file_search_call.results',
        'code_interpreter_call.outputs',
        'computer_call_output.output.image_url',
      ]),
    )
    .nullish(),
})

const usage = z.strictObject({
  input_tokens: count,
  input_tokens_details: z.strictObject({
    cached_tokens: count,
    cache_write_tokens: count.optional(),
  }),
  output_tokens: count,
  output_tokens_details: z.strictObject({ reasoning_tokens: count }),
  total_tokens: count,
})

const response = z.strictObject({
  ...echoed,
  id: z.string().min(1),
  object: z.literal('response'),
  created_at: count,
  completed_at: count.nullish(),
  status: z.enum(['completed', 'incomplete', 'failed', 'in_progress', 'queued', 'cancelled']),
  error: z.strictObject({ code: z.string().min(1), message: z.string().min(1) }).nullable(),
  incomplete_details: z
    .strictObject({ reason: z.enum(['max_output_tokens', 'content_filter']) })
    .nullable(),
  model: z.string(),
  output: z.array(outputItem),
  usage: usage.nullable().optional(),
})

const error = z.strictObject({
  error: z.strictObject({
    message: z.string().min(1),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
    /** The gateway's own code. */
    reason: z.string().optional(),
  }),
})

const models = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.strictObject({
      id: z.string().min(1),
      object: z.literal('model'),
      created: count,
      owned_by: z.string(),
    }),
  ),
})

export const responsesSchemas: ProtocolSchemas = {
  request,
  response,
  event: responsesEvent(response),
  error,
  models,
  countRequest: request.pick({
    model: true,
    input: true,
    instructions: true,
    tools: true,
    tool_choice: true,
    parallel_tool_calls: true,
    text: true,
    reasoning: true,
    truncation: true,
    previous_response_id: true,
    conversation: true,
  }),
  count: z.strictObject({
    object: z.literal('response.input_tokens'),
    input_tokens: count,
  }),
}
