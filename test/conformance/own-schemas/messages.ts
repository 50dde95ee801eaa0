import { z } from 'zod'
import {
  anyObject,
  base64,
  count,
  jsonSchema,
  type ProtocolSchemas,
  webUrl,
} from './protocol-schemas.ts'

const cacheControl = z
  .strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
  .nullish()
const citationsSwitch = z.strictObject({ enabled: z.boolean().optional() }).nullish()

const textCitation = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('char_location'),
    cited_text: z.string(),
    document_index: count,
    document_title: z.string().nullable(),
    start_char_index: count,
    end_char_index: count,
    file_id: z.string().nullish(),
  }),
  z.strictObject({
    type: z.literal('page_location'),
    cited_text: z.string(),
    document_index: count,
    document_title: z.string().nullable(),
    start_page_number: z.int().min(1),
    end_page_number: z.int().min(1),
    file_id: z.string().nullish(),
  }),
  z.strictObject({
    type: z.literal('web_search_result_location'),
    cited_text: z.string(),
    encrypted_index: z.string(),
    title: z.string().nullable(),
    url: z.string(),
  }),
])

const text = z.strictObject({
  type: z.literal('text'),
  text: z.string().min(1),
  cache_control: cacheControl,
  citations: z.array(textCitation).nullish(),
})
const image = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: base64,
    }),
    z.strictObject({ type: z.literal('url'), url: webUrl }),
  ]),
  cache_control: cacheControl,
})
const document = z.strictObject({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.literal('application/pdf'),
      data: base64,
    }),
    z.strictObject({
      type: z.literal('text'),
      media_type: z.literal('text/plain'),
      data: z.string(),
    }),
    z.strictObject({ type: z.literal('url'), url: webUrl }),
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: citationsSwitch,
  cache_control: cacheControl,
})
const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().min(1).max(200),
  input: anyObject,
  /** The caller of the tool: the model itself, or code that the model runs. */
  caller: z.looseObject({ type: z.string() }).optional(),
  cache_control: cacheControl,
})
const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  content: z
    .union([z.string(), z.array(z.discriminatedUnion('type', [text, image, document]))])
    .optional(),
  is_error: z.boolean().optional(),
  cache_control: cacheControl,
})
const thinking = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string(),
})
const redacted = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() })
const serverToolUse = z.strictObject({
  type: z.literal('server_tool_use'),
  id: z.string(),
  name: z.string(),
  input: anyObject,
  cache_control: cacheControl,
})
const searchResult = z.strictObject({
  type: z.literal('web_search_result'),
  title: z.string(),
  url: z.string(),
  encrypted_content: z.string(),
  page_age: z.string().nullish(),
})
const searchOutcome = z.strictObject({
  type: z.literal('web_search_tool_result'),
  tool_use_id: z.string(),
  content: z.union([
    z.array(searchResult),
    z.strictObject({ type: z.literal('web_search_tool_result_error'), error_code: z.string() }),
  ]),
  cache_control: cacheControl,
})

const blockParam = z.discriminatedUnion('type', [
  text,
  image,
  document,
  toolUse,
  toolResult,
  thinking,
  redacted,
  serverToolUse,
  searchOutcome,
])

const tool = z.union([
  z.strictObject({
    type: z.literal('custom').optional(),
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
    description: z.string().optional(),
    input_schema: jsonSchema.extend({ type: z.literal('object') }),
    strict: z.boolean().optional(),
    cache_control: cacheControl,
  }),
  z.looseObject({ type: z.string().regex(/_\d{8}$/), name: z.string() }),
])

const noParallel = { disable_parallel_tool_use: z.boolean().optional() }
const toolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), ...noParallel }),
  z.strictObject({ type: z.literal('any'), ...noParallel }),
  z.strictObject({ type: z.literal('tool'), name: z.string(), ...noParallel }),
  z.strictObject({ type: z.literal('none') }),
])

const thinkingConfig = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('enabled'),
    budget_tokens: z.int().min(1024),
    display: z.enum(['summarized', 'omitted']).optional(),
  }),
  z.strictObject({ type: z.literal('disabled') }),
  z.strictObject({
    type: z.literal('adaptive'),
    display: z.enum(['summarized', 'omitted']).optional(),
  }),
])

const outputConfig = z.strictObject({
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  format: z.strictObject({ type: z.literal('json_schema'), schema: jsonSchema }).nullish(),
})

/** Members of both a request and a token count. */
const promptMembers = {
  model: z.string().min(1),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['user', 'assistant', 'system']),
        content: z.union([z.string().min(1), z.array(blockParam).min(1)]),
      }),
    )
    .min(1),
  system: z.union([z.string(), z.array(text)]).optional(),
  tools: z.array(tool).optional(),
  tool_choice: toolChoice.optional(),
  thinking: thinkingConfig.optional(),
  output_config: outputConfig.optional(),
  cache_control: cacheControl,
}

const request = z.strictObject({
  ...promptMembers,
  max_tokens: z.int().min(1),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  stop_sequences: z.array(z.string().regex(/\S/)).optional(),
  stream: z.boolean().optional(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
})

const usageMembers = {
  cache_creation_input_tokens: count.nullish(),
  cache_read_input_tokens: count.nullish(),
  output_tokens: count,
  output_tokens_details: z.strictObject({ thinking_tokens: count }).nullish(),
  cache_creation: z
    .strictObject({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count })
    .nullish(),
  server_tool_use: z
    .strictObject({ web_search_requests: count, web_fetch_requests: count.optional() })
    .nullish(),
}
const usage = z.strictObject({
  ...usageMembers,
  input_tokens: count,
  service_tier: z.string().nullish(),
  inference_geo: z.string().nullish(),
})

/** A block of the model. Its text may be empty only at the start of a stream. */
const answerBlock = z.discriminatedUnion('type', [
  text.omit({ cache_control: true }).extend({ text: z.string() }),
  toolUse.omit({ cache_control: true }),
  thinking,
  redacted,
  serverToolUse.omit({ cache_control: true }),
  searchOutcome.omit({ cache_control: true }),
])
const stopReason = z.enum([
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
])
const stopMembers = {
  stop_reason: stopReason,
  stop_sequence: z.string().nullable(),
  stop_details: z.looseObject({ type: z.string() }).nullish(),
  container: z.null().optional(),
}
const messageMembers = {
  id: z.string().min(1),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
}

const response = z.strictObject({
  ...messageMembers,
  ...stopMembers,
  content: z.array(answerBlock),
  usage,
})

const delta = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text_delta'), text: z.string() }),
  z.strictObject({ type: z.literal('input_json_delta'), partial_json: z.string() }),
  z.strictObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.strictObject({ type: z.literal('signature_delta'), signature: z.string() }),
  z.strictObject({ type: z.literal('citations_delta'), citation: textCitation }),
])
const errorBody = z.strictObject({ type: z.string(), message: z.string().min(1) })

const event = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message_start'),
    message: z.strictObject({
      ...messageMembers,
      content: z.array(z.never()),
      stop_reason: z.null(),
      stop_sequence: z.null(),
      stop_details: z.null().optional(),
      container: z.null().optional(),
      usage,
    }),
  }),
  z.strictObject({
    type: z.literal('content_block_start'),
    index: count,
    content_block: answerBlock,
  }),
  z.strictObject({ type: z.literal('content_block_delta'), index: count, delta }),
  z.strictObject({ type: z.literal('content_block_stop'), index: count }),
  z.strictObject({
    type: z.literal('message_delta'),
    delta: z.strictObject(stopMembers),
    usage: z.strictObject({ ...usageMembers, input_tokens: count.nullish() }),
  }),
  z.strictObject({ type: z.literal('message_stop') }),
  z.strictObject({ type: z.literal('ping') }),
  z.strictObject({
    type: z.literal('error'),
    error: errorBody,
    request_id: z.string().nullish(),
  }),
])

const errorTypes = z.enum([
  'invalid_request_error',
  'authentication_error',
  'billing_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'rate_limit_error',
  'timeout_error',
  'api_error',
  'overloaded_error',
])
const error = z.strictObject({
  type: z.literal('error'),
  error: errorBody.extend({ type: errorTypes }).loose(),
  request_id: z.string().nullish(),
})

const models = z.strictObject({
  data: z.array(
    z.looseObject({
      type: z.literal('model'),
      id: z.string().min(1),
      display_name: z.string(),
      created_at: z.iso.datetime(),
    }),
  ),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
})

export const messagesSchemas: ProtocolSchemas = {
  request,
  response,
  event,
  error,
  models,
  countRequest: z.strictObject(promptMembers),
  count: z.strictObject({ input_tokens: count }),
}
